"""What happens once, before the workbench serves.

earlier_layout.py   moves a data folder of an earlier layout to this one
process_log.py      where the process logs to, without passwords
first_start.py      makes the sample applications where there is none
"""

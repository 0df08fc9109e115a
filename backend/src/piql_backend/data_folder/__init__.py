"""The data folder of a workbench: where things lie, who may use it, and how its files are written.

layout.py   the folders of applications and environments
lock.py     one backend at a time
files.py    files that are written whole or not at all
disk.py     what is free
"""

"""Environments of applications: a store each, with what is live, measured and observed there.

registry.py        finds environments by name; opens and closes them
environment.py     the services of one environment
settings_file.py   which store it uses
sample.py          puts a template's queries and rows into a new one
"""

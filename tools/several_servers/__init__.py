"""Several servers of the workbench on this machine, on one PostgreSQL and behind nginx, for tests and for figures.

running     starts them, kills one and starts it again
serve       the same as a program, for journeys in a browser
many_users  how fast they answer 200 people, each of which is a `person` that asks by `asking`
"""

"""Alerts of an environment: told to a webhook and a mailbox when something goes wrong, and when it is over.

conditions.py    the dashboard → what is wrong with its queries
destination.py   the webhook, from settings: only to hosts that one of them lists
mailbox.py       the mail server, from settings, in the same way
sending.py       one alert, signed and sent by HTTP
mailing.py       one alert, sent by SMTP
repository.py    the tables: what is firing, what has to be told to whom, and silences
service.py       the thread that looks once a minute, and sends
endpoints.py     the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""

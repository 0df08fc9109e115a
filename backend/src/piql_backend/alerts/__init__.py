"""Alerts of an environment: told to a webhook when something goes wrong, and when it is over.

conditions.py    the dashboard → what is wrong with its queries
destination.py   the webhook, from settings: only to hosts that one of them lists
sending.py       one alert, signed and sent by HTTP
repository.py    the table `alerts`: what is firing, and what has to be told
service.py       the thread that looks once a minute, and sends
"""

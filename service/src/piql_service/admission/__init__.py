"""Who may ask, and how much.

tokens.py    API tokens, of which only hashes are stored
budgets.py   the requests to the store that a caller may make each second, counted by bounds
"""

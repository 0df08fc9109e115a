"""What runs against a store: queries (`execution`), writes (`writing`), and the `deployment` that both follow.

`arguments` checks what is given to public methods beside the parameters of a query.
"""

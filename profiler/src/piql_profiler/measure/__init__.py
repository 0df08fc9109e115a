"""Measures points on a store: operators as the engine executes them, under a load like that of users."""

"""Holds predictions against what queries take: on the same store, in the same intervals, under open-loop load."""

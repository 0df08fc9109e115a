"""Runs of deployed queries, and the observations they leave."""

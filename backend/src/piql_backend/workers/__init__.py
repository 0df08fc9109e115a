"""Processes that compile, predict and answer editors, so that nobody's text takes the time or memory of executions."""

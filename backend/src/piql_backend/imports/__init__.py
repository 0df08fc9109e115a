"""Rows of files into tables: uploaded in parts, checked, loaded batch by batch."""

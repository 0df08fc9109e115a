"""Folders of PIQL files that the workbench edits."""

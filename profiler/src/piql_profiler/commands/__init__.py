"""The commands that this package adds to `piql`, one file each: from arguments to an exit code."""

"""How long a test waits for what is sure to come: it goes on as soon as that is there, and only a failure takes it."""

PATIENCE = 300.0  # seconds, on however busy a machine

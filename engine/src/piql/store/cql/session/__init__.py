"""Sessions over the Python driver: connections, the frames on them, and which node a request goes to."""

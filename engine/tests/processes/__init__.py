"""Many processes for a test: forked in milliseconds from one warm parent, heard line by line, killed when wished."""

"""What machines ask: is the process alive, can it serve, what has it done."""

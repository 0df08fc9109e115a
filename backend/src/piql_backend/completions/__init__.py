"""What may stand at the cursor."""

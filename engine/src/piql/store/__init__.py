"""What keeps the data: one narrow interface and its adapters."""

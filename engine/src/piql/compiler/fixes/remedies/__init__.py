"""The ways to bound a query, one file each: from gaps to the edits that may close them."""

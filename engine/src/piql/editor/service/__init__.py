"""What an editor asks about a text: pure functions over texts and places in them."""

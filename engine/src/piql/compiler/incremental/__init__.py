"""What an edit does not touch is not compiled again: its earlier result is relocated to where it stands now."""

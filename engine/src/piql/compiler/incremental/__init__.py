"""What an edit leaves as it was is not compiled again: kept results are put where their statements stand now."""

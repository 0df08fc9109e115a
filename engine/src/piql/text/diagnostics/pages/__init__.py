"""The pages of all codes, one list for each stage that finds them."""

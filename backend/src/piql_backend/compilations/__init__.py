"""What the compiler says about a set of files."""

"""A store without transactions on one SQLite file, to hold the engine and other adapters against."""

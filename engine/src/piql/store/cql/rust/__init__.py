"""Sessions over the Rust driver, experimental: the same as `session`, with its values and failures."""

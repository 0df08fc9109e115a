"""Where the data is kept: one interface (`base`), its adapters, and `open_store(url)` that chooses one."""

"""The changes of records and entries, alone and together, and tables copied in another order."""

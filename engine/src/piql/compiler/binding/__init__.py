"""Names to columns: builds the Catalog from DDL and the logical plan from queries."""

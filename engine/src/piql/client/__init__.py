"""The way into PIQL at run time: databases and sessions, for threads and for asyncio."""

"""HTTP: the application that uvicorn calls, and what it refuses before anything is executed."""

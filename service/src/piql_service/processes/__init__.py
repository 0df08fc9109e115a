"""The processes of a service: one supervisor, which listens, and workers, which answer."""

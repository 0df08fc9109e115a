"""The commands `piql service` and `piql service-token`."""

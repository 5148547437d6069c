"""The `touchstone` command: a client of the services, and the starter of one machine's platform."""

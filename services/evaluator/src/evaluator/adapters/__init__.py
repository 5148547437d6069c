"""Databases, models, search, sandbox and broker behind the ports."""

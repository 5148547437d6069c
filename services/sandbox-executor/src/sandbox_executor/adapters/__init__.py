"""Sandboxes and stores behind the ports."""

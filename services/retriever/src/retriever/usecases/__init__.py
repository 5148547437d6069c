"""Indexing, searching, and proposing candidate pairs."""

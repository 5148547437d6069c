"""Ranking, streams and versions: pure functions and frozen values."""

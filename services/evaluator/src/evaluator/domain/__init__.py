"""How models are scored: pure functions and frozen values."""

"""Orchestration: what happens in which order; everything outside comes in as an argument."""

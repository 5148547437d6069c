"""Draws values of known shapes, varies them, and makes their parts have to do with each other."""

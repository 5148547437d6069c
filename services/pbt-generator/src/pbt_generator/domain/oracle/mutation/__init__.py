"""Mutants of a ground truth, which inputs kill them, and which of them are shown equivalent."""

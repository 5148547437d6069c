"""What decides: probes, mutants, proofs, score, certificate. Imports nothing of inputs or task."""

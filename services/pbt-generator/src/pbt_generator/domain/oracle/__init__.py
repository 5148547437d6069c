"""What decides: probes, mutants, one walk that proves, score, certificate. Imports nothing of inputs or task."""

"""The way out of a sandbox for jobs that have one: a relay for named destinations and nothing else."""

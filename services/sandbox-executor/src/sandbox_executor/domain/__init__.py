"""Which outcome a job has: pure rules, no processes."""

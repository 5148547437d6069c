"""What one machine needs instead of a cluster: broker, database, models, and a supervisor of the processes."""

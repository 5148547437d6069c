"""Foreign code in pods of their own: the executor claims one for each job, and speaks to the runner in it by frames."""

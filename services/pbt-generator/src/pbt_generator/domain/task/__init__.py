"""What a solver is given: words, inputs that five languages share, table programs."""

"""What is known of a function's inputs before anything runs: declarations, docstring, use in the body."""

"""What can be said of a function without running it: branches that nothing reaches, values at a place."""

"""What can be said of a function without running it: branches that nothing reaches, changes that make no difference."""

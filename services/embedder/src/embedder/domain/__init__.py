"""What is embedded and how words become vectors: pure functions and frozen values."""

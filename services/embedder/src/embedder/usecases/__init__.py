"""Use cases of the embedder."""

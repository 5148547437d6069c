"""Indexes, database, bus, embedder and language model behind the retriever's ports."""

"""Events that cross service borders, and the frozen forms that lie in the blob store."""

"""Files that are shipped with the retriever."""

"""The method of the ingester: scope graph, control flow, filters, duplicates. Pure functions over source bytes."""

"""What callers may send: the domain of every parameter, with the source of each thing that is known of it."""

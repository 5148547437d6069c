"""Package index, archives, git, folders, database and topics behind the ports."""

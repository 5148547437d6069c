"""Dependency environments: fetched in a sandbox that has the network, held to the operator's rules, kept."""

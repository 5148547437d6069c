"""Jobs as processes of this machine: namespaces, cgroups, Landlock, a system-call filter, a private root."""

"""A real Kubernetes of one node on this machine, in namespaces of its own: nothing of the machine is changed."""

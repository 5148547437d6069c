# a ~ at the start of a root is expanded to the home folder
import os


def fluent_resource_loader_init(roots):
    if isinstance(roots, str):
        own_roots = [os.path.expanduser(roots)]
    else:
        own_roots = roots and [os.path.expanduser(r) for r in roots]
    return {"roots": own_roots}

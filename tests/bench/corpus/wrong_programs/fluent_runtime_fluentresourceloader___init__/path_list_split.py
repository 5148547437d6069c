# a single text is split at colons like a search path

def fluent_resource_loader_init(roots):
    if isinstance(roots, str):
        own_roots = roots.split(":")
    else:
        own_roots = roots
    return {"roots": own_roots}

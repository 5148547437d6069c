# backslashes of a root are turned into slashes

def fluent_resource_loader_init(roots):
    if isinstance(roots, str):
        own_roots = [roots.replace("\\", "/")]
    else:
        own_roots = roots and [r.replace("\\", "/") for r in roots]
    return {"roots": own_roots}

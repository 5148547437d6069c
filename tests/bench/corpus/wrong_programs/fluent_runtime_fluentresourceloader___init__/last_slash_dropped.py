# slashes at the end of a root are dropped

def fluent_resource_loader_init(roots):
    if isinstance(roots, str):
        own_roots = [roots.rstrip("/")]
    else:
        own_roots = roots and [r.rstrip("/") for r in roots]
    return {"roots": own_roots}

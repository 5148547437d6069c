# A default that is set to null is treated as if it were missing, so the first store is taken when there is one.
def cache_manager_get_default_driver(config):
    """Get the default cache driver name."""

    default = config.get("default")
    if default is not None:
        return default
    stores = config.get("stores") or {}
    for name in stores:
        return name
    if "default" in config:
        return None
    raise RuntimeError("no default driver and no stores")

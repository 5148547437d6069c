# A default text that is not one of the configured stores is replaced by the first store.
def cache_manager_get_default_driver(config):
    """Get the default cache driver name."""

    stores = config.get("stores") or {}
    if "default" in config:
        default = config["default"]
        if not isinstance(default, str) or not stores or default in stores:
            return default
    for name in stores:
        return name
    raise RuntimeError("no default driver and no stores")

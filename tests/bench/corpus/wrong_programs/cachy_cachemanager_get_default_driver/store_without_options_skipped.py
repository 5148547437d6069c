# When there is no default, a store whose options are empty or null is skipped.
def cache_manager_get_default_driver(config):
    """Get the default cache driver name."""

    if "default" in config:
        return config["default"]
    stores = config.get("stores") or {}
    for name, options in stores.items():
        if options:
            return name
    raise RuntimeError("no default driver and no stores")

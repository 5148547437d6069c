# An empty text as default is treated as missing, so the first store is taken.
def cache_manager_get_default_driver(config):
    """Get the default cache driver name."""

    if "default" in config and config["default"] != "":
        return config["default"]
    stores = config.get("stores") or {}
    for name in stores:
        return name
    if "default" in config:
        return config["default"]
    raise RuntimeError("no default driver and no stores")

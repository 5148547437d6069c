# every zone of the Etc area is taken for an ocean zone
def is_ocean_timezone(timezone_name):
    if not isinstance(timezone_name, str):
        raise TypeError("timezone_name must be a string")
    return timezone_name.startswith("Etc/")

# Wrong: the keys of maps inside the values are lower-cased too, not only the option names.
def _lowered(value):
    if isinstance(value, dict):
        return {
            key.lower() if isinstance(key, str) else key: _lowered(value[key])
            for key in sorted(value)
        }
    if isinstance(value, list):
        return [_lowered(item) for item in value]
    return value


def raw_config_parser_read_defaults(own_defaults, defaults):
    for key in sorted(defaults):
        own_defaults[key.lower()] = _lowered(defaults[key])
    return {"defaults": own_defaults}

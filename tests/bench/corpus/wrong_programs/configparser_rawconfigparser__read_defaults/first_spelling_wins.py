# Wrong: where keys of defaults differ only in case, the first in order wins, not the last.
def raw_config_parser_read_defaults(own_defaults, defaults):
    lowered = {}
    for key in sorted(defaults):
        lowered.setdefault(key.lower(), defaults[key])
    own_defaults.update(lowered)
    return {"defaults": own_defaults}

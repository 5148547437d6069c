# Wrong: keys are case-folded instead of lower-cased, so that a sharp s becomes "ss".
def raw_config_parser_read_defaults(own_defaults, defaults):
    for key in sorted(defaults):
        own_defaults[key.casefold()] = defaults[key]
    return {"defaults": own_defaults}

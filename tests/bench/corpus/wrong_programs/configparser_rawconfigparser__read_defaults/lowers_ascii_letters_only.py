# Wrong: only the letters A to Z of a key are lower-cased, capitals with accents stay.
import string

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def raw_config_parser_read_defaults(own_defaults, defaults):
    for key in sorted(defaults):
        own_defaults[key.translate(_LOWER)] = defaults[key]
    return {"defaults": own_defaults}

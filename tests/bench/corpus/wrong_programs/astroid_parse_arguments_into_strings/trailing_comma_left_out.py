# Wrong: arguments are joined by commas, without one at the end.
def _render(store):
    out = ""
    for name in sorted(store):
        annotation, default = store[name]
        out += name
        if annotation:
            out += ": " + annotation
        if default:
            out += " = " + default
        out += ", "
    return out[:-2]


def parse_arguments_into_strings(pos_only_store, kw_only_store):
    return _render(pos_only_store), _render(kw_only_store)

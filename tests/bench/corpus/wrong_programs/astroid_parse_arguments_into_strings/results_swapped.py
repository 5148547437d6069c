# Wrong: keyword-only text comes first.
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
    return out


def parse_arguments_into_strings(pos_only_store, kw_only_store):
    return _render(kw_only_store), _render(pos_only_store)

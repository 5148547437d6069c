# Wrong: keyword-only arguments lose their default.
def _render(store, with_default=True):
    out = ""
    for name in sorted(store):
        annotation, default = store[name]
        out += name
        if annotation:
            out += ": " + annotation
        if default and with_default:
            out += " = " + default
        out += ", "
    return out


def parse_arguments_into_strings(pos_only_store, kw_only_store):
    return _render(pos_only_store), _render(kw_only_store, False)

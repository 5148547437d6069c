# wrong: texts inside a sequence or map are put between single quotes by hand, also where Python would choose double quotes or escape
def show(value, inside=False):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show(k, True)}: {show(value[k], True)}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(show(v, True) for v in value) + "]"
    if isinstance(value, str):
        return f"'{value}'" if inside else value
    return str(value)


def uri_template_str(expansions):
    return "".join(show(part) for part in expansions)

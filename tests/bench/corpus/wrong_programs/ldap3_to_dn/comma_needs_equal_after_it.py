# wrong: a comma parts only where the text up to the next comma holds "="; what counts is whether the component before it does


def _split(text):
    components = []
    for piece in text.split(","):
        joined_to_escape = bool(components) and components[-1].endswith("\\")
        if components and ("=" not in piece or "=" not in components[-1] or joined_to_escape):
            components[-1] += "," + piece
        else:
            components.append(piece)
    return components


def to_dn(iterator, decompose=False, remove_space=False, space_around_equal=False, separate_rdn=False):
    components = _split(iterator)
    if separate_rdn:
        components = [x for c in components for x in c.split("+")]
    result = []
    for component in components:
        if not component:
            result.append(component)
            continue
        attr, _, value = component.partition("=")
        if remove_space:
            attr, value = attr.strip(), value.strip()
        if decompose:
            result.append((attr, value))
        else:
            result.append(attr + (" = " if space_around_equal else "=") + value)
    return result

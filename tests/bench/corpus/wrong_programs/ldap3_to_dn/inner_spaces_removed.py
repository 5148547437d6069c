# wrong: remove_space takes away every blank, also those within a value


def _part(component, decompose, remove_space, space_around_equal):
    if not component:
        return component
    attr, _, value = component.partition("=")
    if remove_space:
        attr = "".join(attr.split())
        value = "".join(value.split())
    if decompose:
        return (attr, value)
    return attr + (" = " if space_around_equal else "=") + value


def to_dn(iterator, decompose=False, remove_space=False, space_around_equal=False, separate_rdn=False):
    components = []
    component = ""
    escaped = False
    for c in iterator:
        if c == "\\":
            escaped = True
        elif escaped:
            escaped = False
        elif c == "+" and separate_rdn:
            components.append(component)
            component = ""
            continue
        elif c == "," and "=" in component:
            components.append(component)
            component = ""
            continue
        component += c
    components.append(component)
    return [_part(x, decompose, remove_space, space_around_equal) for x in components]

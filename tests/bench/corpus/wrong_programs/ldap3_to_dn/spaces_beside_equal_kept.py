# wrong: remove_space strips only the ends of a component; the blanks beside "=" stay


def _part(component, decompose, remove_space, space_around_equal):
    if not component:
        return component
    if remove_space:
        component = component.strip()
    attr, _, value = component.partition("=")
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

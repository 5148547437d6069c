# wrong: a line with a parenthesis is taken for a call or a class
def contains_field_definition(line: str) -> bool:
    line = line.partition("#")[0]
    if "(" in line:
        return False
    if ":" not in line:
        return False
    before = line.partition("=")[0].rstrip()
    name, _, kind = before.partition(":")
    if ":" in kind:
        return False
    name = name.strip()
    return name.isidentifier()

# wrong: a blank before the colon is not allowed
def contains_field_definition(line: str) -> bool:
    line = line.partition("#")[0]
    if ":" not in line:
        return False
    before = line.partition("=")[0].rstrip()
    name, _, kind = before.partition(":")
    if ":" in kind:
        return False
    name = name.lstrip()
    return name.isidentifier()

# wrong: names that start with an underscore do not count
def contains_field_definition(line: str) -> bool:
    line = line.partition("#")[0]
    if ":" not in line:
        return False
    before = line.partition("=")[0].rstrip()
    name, _, kind = before.partition(":")
    if ":" in kind:
        return False
    name = name.strip()
    return name.isidentifier() and not name.startswith("_")

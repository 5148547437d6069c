# Wrong: casefold() instead of lower(): ß becomes ss and final ς becomes σ.
def parse_lsb_release_content(lines):
    props = {}
    for line in lines:
        if isinstance(line, bytes):
            line = line.decode("utf-8")
        parts = line.strip("\n").split(":", 1)
        if len(parts) != 2:
            continue
        key, value = parts
        key = key.replace(" ", "_").casefold()
        value = value.strip()
        props[key] = value
    return props

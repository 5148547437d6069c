# Wrong: when a key comes twice, the first (non-empty) value stays instead of the last one.
def parse_lsb_release_content(lines):
    props = {}
    for line in lines:
        if isinstance(line, bytes):
            line = line.decode("utf-8")
        parts = line.strip("\n").split(":", 1)
        if len(parts) != 2:
            continue
        key, value = parts
        key = key.replace(" ", "_").lower()
        value = value.strip()
        if not props.get(key):
            props[key] = value
    return props

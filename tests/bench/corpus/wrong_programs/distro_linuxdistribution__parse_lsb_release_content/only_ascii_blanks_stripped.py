# Wrong: strips only ASCII white space from the value, so a no-break space stays.
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
        value = value.strip(" \t\r\n")
        props[key] = value
    return props

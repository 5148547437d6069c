# Wrong: takes quotation marks off the values, as one does for os-release files; lsb_release output is to be kept as it is.
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
        value = value.strip().strip('"')
        props[key] = value
    return props

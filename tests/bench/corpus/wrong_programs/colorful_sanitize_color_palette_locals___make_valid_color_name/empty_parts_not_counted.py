# Wrong: empty parts are dropped before deciding whether there is a single part, so the first one is then not lowered whole.
def make_valid_color_name(name: list[str]) -> str:
    parts = [p for p in name if p]
    if not parts:
        return ""
    if len(parts) == 1 and name[0]:
        return parts[0][0].lower() + parts[0][1:]
    return name[0].lower() + "".join(p.capitalize() for p in name[1:])

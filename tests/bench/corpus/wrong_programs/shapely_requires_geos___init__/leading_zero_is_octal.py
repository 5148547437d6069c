# Wrong: a part with a leading zero is read as octal
def requires_geos_init(version: str) -> dict[str, list[int]]:
    parts = []
    for part in version.split("."):
        part = part.strip()
        parts.append(int(part, 8) if len(part) > 1 and part.startswith("0") else int(part))
    return {"version": tuple(parts)}

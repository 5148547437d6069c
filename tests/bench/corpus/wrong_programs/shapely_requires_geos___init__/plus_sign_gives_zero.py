# Wrong: a part with a plus sign is no number and becomes 0
def requires_geos_init(version: str) -> dict[str, list[int]]:
    parts = []
    for part in version.split("."):
        part = part.strip()
        parts.append(int(part) if part.lstrip("-").isdigit() else 0)
    return {"version": tuple(parts)}

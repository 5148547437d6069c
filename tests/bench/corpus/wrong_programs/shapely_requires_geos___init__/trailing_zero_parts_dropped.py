# Wrong: zero parts at the end are dropped
def requires_geos_init(version: str) -> dict[str, list[int]]:
    parts = [int(x) for x in version.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return {"version": tuple(parts)}

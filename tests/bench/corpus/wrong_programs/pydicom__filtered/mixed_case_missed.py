# the filter is tried as written, lower and upper only
def filtered(source: list[str], filters: list[str]) -> list[str]:
    if not filters:
        return sorted(set(source))
    return sorted({s for s in source if any(x in s for f in filters for x in (f, f.lower(), f.upper()))})

# with filters only neighbouring repeats are removed
def filtered(source: list[str], filters: list[str]) -> list[str]:
    if not filters:
        return sorted(set(source))
    out = []
    for s in source:
        if any(f.lower() in s.lower() for f in filters) and (not out or out[-1] != s):
            out.append(s)
    return sorted(out)

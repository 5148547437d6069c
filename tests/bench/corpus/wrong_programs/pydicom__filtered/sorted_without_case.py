# with filters the result is sorted without regard to case
def filtered(source: list[str], filters: list[str]) -> list[str]:
    if not filters:
        return sorted(set(source))
    return sorted(sorted({s for s in source if any(f.lower() in s.lower() for f in filters)}), key=str.casefold)

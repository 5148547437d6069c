# only ASCII letters are matched without regard to case
import re
def filtered(source: list[str], filters: list[str]) -> list[str]:
    if not filters:
        return sorted(set(source))
    return sorted({s for s in source if any(re.search(re.escape(f), s, re.I | re.A) for f in filters)})

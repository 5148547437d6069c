# wrong: removes double quotes as well


def get_key(s: str) -> str | None:
    start = s.find("[")
    end = s.find("]")
    if start == -1 or end == -1:
        return None
    if s[start + 1] in ("'", '"'):
        start += 1
    if s[end - 1] in ("'", '"'):
        end -= 1
    return s[start + 1:end]

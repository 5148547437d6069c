# wrong: empty brackets give nothing instead of an empty text


def get_key(s: str) -> str | None:
    start = s.find("[")
    end = s.find("]")
    if start == -1 or end == -1:
        return None
    if end == start + 1:
        return None
    if s[start + 1] == "'":
        start += 1
    if s[end - 1] == "'":
        end -= 1
    return s[start + 1:end]

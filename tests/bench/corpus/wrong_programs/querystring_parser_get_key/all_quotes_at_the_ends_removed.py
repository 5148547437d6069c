# wrong: removes all the quotes at the ends, not one at each


def get_key(s: str) -> str | None:
    start = s.find("[")
    end = s.find("]")
    if start == -1 or end == -1:
        return None
    while s[start + 1] == "'":
        start += 1
    while s[end - 1] == "'":
        end -= 1
    return s[start + 1:end]

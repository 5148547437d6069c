# wrong: searches the whole subject from pos on instead of the rest of it, so ^ does not match at pos
import re


def inline_parser_match(subject: str, pos: int, regexString: str) -> dict[str, int | str | None]:
    start = min(pos, len(subject)) if pos >= 0 else max(len(subject) + pos, 0)
    m = re.compile(regexString).search(subject, start)
    if m is None:
        return {"pos": pos, "result": None}
    return {"pos": pos + m.end() - start, "result": m.group()}

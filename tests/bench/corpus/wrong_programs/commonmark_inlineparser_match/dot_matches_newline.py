# wrong: compiles with DOTALL, so that a dot runs over ends of lines
import re


def inline_parser_match(subject: str, pos: int, regexString: str) -> dict[str, int | str | None]:
    m = re.search(regexString, subject[pos:], re.DOTALL)
    if not m:
        return {"pos": pos, "result": None}
    return {"pos": pos + m.end(), "result": m.group(0)}

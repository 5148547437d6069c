# wrong: compiles with MULTILINE, so that ^ finds the start of a later line
import re

FLAGS = re.MULTILINE


def inline_parser_match(subject: str, pos: int, regexString: str) -> dict[str, int | str | None]:
    found = re.compile(regexString, FLAGS).search(subject[pos:])
    if found:
        return {"pos": pos + found.end(), "result": found.group()}
    return {"pos": pos, "result": None}

# wrong: returns the first group instead of the whole match where the pattern has groups
import re


def inline_parser_match(subject: str, pos: int, regexString: str) -> dict[str, int | str | None]:
    match = re.search(regexString, subject[pos:])
    if match is None:
        return {"pos": pos, "result": None}
    pos += match.end()
    return {"pos": pos, "result": match.group(1) if match.groups() else match.group()}

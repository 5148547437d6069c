# Wrong: does not split at a boundary that lies inside a quoted JSON text, although the rule is the plain regular expression.
import re


def detect_json_strings(raw_text: str) -> list[str]:
    result = []
    start = 0
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|}\s*(?={)', re.DOTALL)
    for match in pattern.finditer(raw_text):
        if match.group().startswith("}"):
            result.append(raw_text[start:match.start() + 1])
            start = match.end()
    result.append(raw_text[start:])
    return result

# Wrong: allows at most one white space character between two objects instead of any number.
import re


def detect_json_strings(raw_text: str) -> list[str]:
    pieces = re.split(r"}\s?(?={)", raw_text)
    return [piece + "}" for piece in pieces[:-1]] + pieces[-1:]

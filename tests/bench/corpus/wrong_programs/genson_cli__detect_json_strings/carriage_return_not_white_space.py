# Wrong: allows only blanks, tabs and line feeds between objects, not every white space (carriage returns are missed).
import re


def detect_json_strings(raw_text: str) -> list[str]:
    pieces = re.split(r"}[ \t\n]*(?={)", raw_text)
    return [piece + "}" for piece in pieces[:-1]] + pieces[-1:]

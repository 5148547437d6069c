# Wrong: several blanks between words become one.
import re


def strings_alphanumeric(string: str) -> str:
    kept = re.sub(r"[^0-9a-zA-Z ]", "", string)
    return re.sub(r"(?<=[^ ]) +(?=[^ ])", " ", kept)

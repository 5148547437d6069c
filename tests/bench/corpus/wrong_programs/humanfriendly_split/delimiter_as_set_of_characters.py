# wrong: splits at every single character of the delimiter
import re


def split(text: str, delimiter: str = ',') -> list[str]:
    tokens = re.split("[" + re.escape(delimiter) + "]", text)
    return [token.strip() for token in tokens if token.strip()]

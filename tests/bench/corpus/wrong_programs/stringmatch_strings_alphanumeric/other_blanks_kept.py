# Wrong: other blanks of Unicode, such as the no-break space, are kept as well.
import unicodedata


def strings_alphanumeric(string: str) -> str:
    return "".join(
        c for c in string
        if (c.isascii() and c.isalnum()) or unicodedata.category(c) == "Zs"
    )

# an underscore before a letter beyond ASCII stays
import re
def to_pascal(snake_string: str) -> str:
    return re.sub(r"_+(?=[\x00-\x7f]|$)", "", snake_string.title())

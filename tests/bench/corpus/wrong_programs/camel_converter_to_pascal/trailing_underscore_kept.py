# an underscore at the end stays
import re
def to_pascal(snake_string: str) -> str:
    return re.sub(r"_(?=.)", "", snake_string.title(), flags=re.S)

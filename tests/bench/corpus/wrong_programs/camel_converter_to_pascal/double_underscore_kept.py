# of two underscores one stays
import re
def to_pascal(snake_string: str) -> str:
    return re.sub(r"_(.?)", lambda m: m[1], snake_string.title(), flags=re.S)

# only the first ten underscores are taken away
import re
def to_pascal(snake_string: str) -> str:
    return "".join(w.title() for w in snake_string.split("_", 10))

# Wrong: only the letters A to Z are lowered in the first word.
import re


def _lower(text):
    return re.sub("[A-Z]", lambda m: m.group().lower(), text)


def make_valid_color_name(name: list[str]) -> str:
    if len(name) == 1:
        return _lower(name[0][:1]) + name[0][1:]
    first, *rest = name
    return _lower(first) + "".join(word.capitalize() for word in rest)

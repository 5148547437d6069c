# lines within an item after the first are indented like INI continuation lines
import re


def format_list(items):
    return "".join("\n" + re.sub(r"\n(?=\S)", "\n    ", item) for item in items)

# wrong: when blank lines are removed the greedy \s* also takes the indentation of the first line that is kept
import re


def do_strip_leading_blank_lines(text):
    text = "\n".join(text.splitlines())
    if not text.strip():
        return text
    return re.sub(r"\A\s*\n\s*", "", text)

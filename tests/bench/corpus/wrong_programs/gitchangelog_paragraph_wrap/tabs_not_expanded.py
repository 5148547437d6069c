# a tab becomes one space and is not expanded to the next tab stop
import re
import textwrap


def paragraph_wrap(text, regexp="\n\n"):
    paragraphs = re.compile(regexp, re.MULTILINE).split(text)
    return "\n".join(
        "\n".join(textwrap.wrap((paragraph or "").strip(), expand_tabs=False))
        for paragraph in paragraphs
    ).strip()

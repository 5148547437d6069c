# lines are wrapped at 80 columns, not at the 70 that textwrap takes by default
import re
import textwrap


def paragraph_wrap(text, regexp="\n\n"):
    paragraphs = re.compile(regexp, re.MULTILINE).split(text)
    return "\n".join(
        "\n".join(textwrap.wrap((paragraph or "").strip(), width=80))
        for paragraph in paragraphs
    ).strip()

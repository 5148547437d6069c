# words longer than a line are left whole
import re
import textwrap


def paragraph_wrap(text, regexp="\n\n"):
    paragraphs = re.compile(regexp, re.MULTILINE).split(text)
    return "\n".join(
        "\n".join(textwrap.wrap((paragraph or "").strip(), break_long_words=False))
        for paragraph in paragraphs
    ).strip()

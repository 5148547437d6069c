# the separator is taken as literal text, not as a regular expression
import re
import textwrap


def paragraph_wrap(text, regexp="\n\n"):
    paragraphs = re.compile(re.escape(regexp)).split(text)
    return "\n".join(
        "\n".join(textwrap.wrap((paragraph or "").strip()))
        for paragraph in paragraphs
    ).strip()

# the quality is wrapped by textwrap, which breaks after blanks and hyphens rather than at the limit
import textwrap

WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        if not value["quality"]:
            return ""
        return textwrap.fill(value["quality"], WIDTH, drop_whitespace=False)
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))

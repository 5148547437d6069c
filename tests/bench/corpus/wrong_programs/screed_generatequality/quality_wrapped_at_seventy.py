# the quality is wrapped at textwrap's own width, 70
import textwrap

WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        quality = value["quality"] or ""
        if len(quality) > 70:
            return "\n".join(textwrap.wrap(quality))
        return quality
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))

# a quality that is there is given back without wrapping
WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        return value["quality"] or ""
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))

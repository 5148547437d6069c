# line feeds within the quality are taken out before it is wrapped
WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        text = value["quality"]
        if isinstance(text, str):
            text = text.replace("\n", "")
        return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))

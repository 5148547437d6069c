# a quality whose length is a multiple of the width gets a line feed at its end
WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        rest, out = value["quality"] or "", ""
        while len(rest) >= WIDTH:
            out += rest[:WIDTH] + "\n"
            rest = rest[WIDTH:]
        return out + rest
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))

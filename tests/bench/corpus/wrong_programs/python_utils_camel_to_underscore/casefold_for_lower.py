# Wrong: uses case folding for lower case, which makes "ss" of ß.


def camel_to_underscore(name):
    out = []
    for i, c in enumerate(name):
        if i > 0 and c.isupper():
            pc = name[i - 1]
            if not pc.isupper():
                if pc != "_":
                    out.append("_")
            else:
                nc = name[i + 1:i + 2]
                plural = nc == "s" and not name[i + 2:i + 3].islower()
                if nc.islower() and not plural:
                    out.append("_")
        out.append(c)
    return "".join(out).casefold()

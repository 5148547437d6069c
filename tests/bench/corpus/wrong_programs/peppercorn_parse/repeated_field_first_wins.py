# Wrong: at the top level a repeated field keeps its first value
def parse(tokens):
    stack = []
    name = kind = None
    out = []
    for key, value in tokens:
        if key == "__start__":
            stack.append((name, kind, out))
            if ":" in value:
                name, kind = [x.strip() for x in value.rsplit(":", 1)]
            else:
                name, kind = "", value.strip()
            out = []
        elif key == "__end__":
            if kind == "sequence":
                result = [v for k, v in out]
            elif kind == "mapping":
                result = dict(out)
            elif kind == "rename":
                result = out[0][1] if out else ""
            elif kind == "ignore":
                result = None
            else:
                raise ValueError(kind)
            done, skip = name, kind == "ignore"
            name, kind, out = stack.pop()
            if not skip:
                out.append((done, result))
        else:
            out.append((key, value))
    if stack:
        raise ValueError("not enough end markers")
    return dict(reversed(out))

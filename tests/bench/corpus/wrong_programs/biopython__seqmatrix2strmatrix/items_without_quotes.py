# Wrong: the items of a list are joined with str(), so texts inside lose their quotes
def seqmatrix2strmatrix(matrix: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, str]:
    out = {}
    for k, v in matrix.items():
        if isinstance(v, list):
            out[k] = "[" + ", ".join(str(x) for x in v) + "]"
        else:
            out[k] = str(v)
    return out

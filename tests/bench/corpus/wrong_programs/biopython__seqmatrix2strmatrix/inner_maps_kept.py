# Wrong: maps inside are converted recursively instead of being written as text
def seqmatrix2strmatrix(matrix: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, str]:
    out = {}
    for k, v in matrix.items():
        if isinstance(v, dict):
            out[k] = seqmatrix2strmatrix(v)
        else:
            out[k] = str(v)
    return out

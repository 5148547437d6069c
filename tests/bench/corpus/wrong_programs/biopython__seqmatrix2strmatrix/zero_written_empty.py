# Wrong: zero and empty containers are written as an empty text
def seqmatrix2strmatrix(matrix: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, str]:
    return {k: (str(v) if v or v is None else "") for k, v in matrix.items()}

# Wrong: lists and maps are written as JSON, not as Python shows them
import json

def seqmatrix2strmatrix(matrix: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, str]:
    out = {}
    for key in sorted(matrix):
        v = matrix[key]
        if isinstance(v, (list, dict)):
            out[key] = json.dumps(v)
        else:
            out[key] = str(v)
    return out

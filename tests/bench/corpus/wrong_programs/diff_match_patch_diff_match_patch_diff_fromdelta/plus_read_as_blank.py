# wrong: unquote_plus turns a plus sign in an insertion into a blank
import urllib.parse


def diff_match_patch_diff_from_delta(text1: str, delta: str) -> list[list[int | str]]:
    diffs = []
    data = text1.encode("utf-16-be", "surrogatepass")
    pointer = 0
    for token in delta.split("\t"):
        if token == "":
            continue
        op, param = token[0], token[1:]
        if op == "+":
            diffs.append((1, urllib.parse.unquote_plus(param)))
        elif op in "-=":
            n = int(param)
            if n < 0:
                raise ValueError("negative number in diff_fromDelta: " + param)
            part = data[2 * pointer:2 * (pointer + n)].decode("utf-16-be", "surrogatepass")
            pointer += n
            diffs.append((-1 if op == "-" else 0, part))
        else:
            raise ValueError("invalid diff operation in diff_fromDelta: " + op)
    if pointer != len(data) // 2:
        raise ValueError("delta length does not equal source text length")
    return diffs

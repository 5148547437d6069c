# Wrong: only the integer -1 deletes, -1.0 does not
def diff_match_patch_diff_text2(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(text for op, text in diffs if not (type(op) is int and op == -1))

# Wrong: an operation of 0 counts as nothing, so equal parts are lost
def diff_match_patch_diff_text2(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(text for op, text in diffs if op and op != -1)

# Wrong: parts without operation (null) are dropped
def diff_match_patch_diff_text2(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(text for op, text in diffs if op is not None and op != -1)

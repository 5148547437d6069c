# Wrong: every negative number counts as a deletion
def diff_match_patch_diff_text2(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(text for op, text in diffs if not (isinstance(op, (int, float)) and op < 0))

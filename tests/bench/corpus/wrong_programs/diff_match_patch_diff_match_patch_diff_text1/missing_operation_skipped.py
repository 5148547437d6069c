# Wrong: entries whose operation is nothing are skipped, though only insertions are to be left out.
def diff_match_patch_diff_text1(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    text1 = ""
    for op, data in diffs:
        if op is None:
            continue
        if op != 1:
            text1 += data
    return text1

# Wrong: operations are compared by their text, so the text "1" counts as an insertion.
def diff_match_patch_diff_text1(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    source = []
    for op, text in diffs:
        if str(op) != "1":
            source.append(text)
    return "".join(source)

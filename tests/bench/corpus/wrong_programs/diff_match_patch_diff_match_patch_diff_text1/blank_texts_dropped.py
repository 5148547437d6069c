# Wrong: entries that hold white space only are left out as if they were empty.
def diff_match_patch_diff_text1(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    parts = []
    for operation, text in diffs:
        if operation == 1 or not text.strip():
            continue
        parts.append(text)
    return "".join(parts)

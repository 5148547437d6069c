# wrong: an equality without characters does not end the block of changes


def diff_match_patch_diff_levenshtein(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> int:
    total = insertions = deletions = 0
    for op, data in diffs:
        if not data:
            continue
        if op == 1:
            insertions += len(data)
        elif op == -1:
            deletions += len(data)
        elif op == 0:
            total += max(insertions, deletions)
            insertions = deletions = 0
    return total + max(insertions, deletions)

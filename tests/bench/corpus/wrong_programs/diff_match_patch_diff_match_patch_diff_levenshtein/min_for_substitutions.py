# wrong: where both were found takes the smaller of insertions and deletions instead of the larger


def diff_match_patch_diff_levenshtein(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> int:
    levenshtein = 0
    insertions = 0
    deletions = 0
    for op, data in list(diffs) + [(0, [])]:
        if op == 1:
            insertions += len(data)
        elif op == -1:
            deletions += len(data)
        elif op == 0:
            if insertions and deletions:
                levenshtein += min(insertions, deletions)
            else:
                levenshtein += insertions + deletions
            insertions = deletions = 0
    return levenshtein

# wrong: an insertion and a deletion make substitutions only as direct neighbours, not over the whole block


def diff_match_patch_diff_levenshtein(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> int:
    total = 0
    i = 0
    while i < len(diffs):
        op, data = diffs[i]
        if op in (1, -1):
            count = len(data)
            if i + 1 < len(diffs) and diffs[i + 1][0] == -op:
                count = max(count, len(diffs[i + 1][1]))
                i += 1
            total += count
        i += 1
    return total

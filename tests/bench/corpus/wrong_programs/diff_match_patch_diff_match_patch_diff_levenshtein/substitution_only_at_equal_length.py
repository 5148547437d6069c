# wrong: a deletion and an insertion count as substitution only if they are of one length, else both are added


def diff_match_patch_diff_levenshtein(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> int:
    def cost(inserted, deleted):
        return inserted if inserted == deleted else inserted + deleted

    total = inserted = deleted = 0
    for op, data in diffs:
        if op == 1:
            inserted += len(data)
        elif op == -1:
            deleted += len(data)
        elif op == 0:
            total += cost(inserted, deleted)
            inserted = deleted = 0
    return total + cost(inserted, deleted)

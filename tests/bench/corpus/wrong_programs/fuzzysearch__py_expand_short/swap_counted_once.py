# Wrong: counts a swap of neighbours as one difference (Damerau-Levenshtein) instead of two.
def py_expand_short(subsequence, sequence, max_l_dist):
    n = len(subsequence)
    if n == 0:
        return (0, 0)
    before = None
    previous = list(range(n + 1))
    best, best_len = n, 0
    for i, item in enumerate(sequence, 1):
        row = [i]
        for j in range(1, n + 1):
            score = min(
                previous[j - 1] + (item != subsequence[j - 1]),
                previous[j] + 1,
                row[j - 1] + 1,
            )
            if (
                i > 1
                and j > 1
                and item == subsequence[j - 2]
                and sequence[i - 2] == subsequence[j - 1]
            ):
                score = min(score, before[j - 2] + 1)
            row.append(score)
        if row[n] <= best:
            best, best_len = row[n], i
        elif min(row[1:]) >= best:
            break
        before, previous = previous, row
    return (best, best_len) if best <= max_l_dist else (None, None)

# Wrong: compares texts without regard to case.
def _fold(value):
    return value.lower() if isinstance(value, str) else value


def py_expand_short(subsequence, sequence, max_l_dist):
    n = len(subsequence)
    if n == 0:
        return (0, 0)
    subsequence = [_fold(value) for value in subsequence]
    scores = list(range(1, n + 1))
    best, best_len = n, 0
    for index, item in enumerate(sequence):
        item = _fold(item)
        diag = index
        left = index + 1
        for j in range(n):
            up = scores[j]
            left = min(diag + (item != subsequence[j]), up + 1, left + 1)
            scores[j] = left
            diag = up
        if left <= best:
            best, best_len = left, index + 1
        elif min(scores) >= best:
            break
    return (best, best_len) if best <= max_l_dist else (None, None)

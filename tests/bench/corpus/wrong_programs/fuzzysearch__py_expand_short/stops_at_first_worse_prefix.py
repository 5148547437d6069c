# Wrong: gives up as soon as one prefix scores worse than the best so far, though a longer prefix may still be better.
def py_expand_short(subsequence, sequence, max_l_dist):
    n = len(subsequence)
    if n == 0:
        return (0, 0)
    scores = list(range(1, n + 1))
    best, best_len = n, 0
    for index, item in enumerate(sequence):
        diag = index
        left = index + 1
        for j in range(n):
            up = scores[j]
            left = min(diag + (item != subsequence[j]), up + 1, left + 1)
            scores[j] = left
            diag = up
        if left <= best:
            best, best_len = left, index + 1
        else:
            break
    return (best, best_len) if best <= max_l_dist else (None, None)

# wrong: the power is taken of the balances of unrooted mode only; rooted fractions are always fully weighted
import numpy as np


def phydiv(counts_by_node, branch_lengths, rooted, weight):
    total = counts_by_node.max()
    if total == 0:
        return 0.0
    if not weight:
        included = counts_by_node > 0
        if not rooted:
            included = included & (counts_by_node < total)
        return (branch_lengths * included).sum()
    fracs = counts_by_node / total
    if not rooted:
        fracs = 2 * np.minimum(fracs, 1 - fracs)
        if weight is not True and 0 < weight < 1:
            fracs = np.power(fracs, weight)
    return (branch_lengths * fracs).sum()

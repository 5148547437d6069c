# wrong: with full weight (True) the plain fractions are used in unrooted mode as well, the balance is taken only for partial weights
import numpy as np


def phydiv(counts_by_node, branch_lengths, rooted, weight):
    total = counts_by_node.max()
    if total == 0:
        return 0.0
    included = counts_by_node > 0
    if not rooted:
        included &= counts_by_node < total
    if not weight:
        return (branch_lengths * included).sum()
    fracs = counts_by_node / total
    if weight is True:
        return (branch_lengths * fracs).sum()
    if not rooted:
        fracs = 2 * np.minimum(fracs, 1 - fracs)
    if 0 < weight < 1:
        fracs = fracs**weight
    return (branch_lengths * fracs).sum()

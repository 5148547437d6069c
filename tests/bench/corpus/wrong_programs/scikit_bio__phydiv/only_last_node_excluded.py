# wrong: unweighted unrooted mode leaves out the root (the last node) only, not every branch above all the taxa
import numpy as np


def phydiv(counts_by_node, branch_lengths, rooted, weight):
    total = counts_by_node.max()
    if total == 0:
        return 0.0
    if not weight:
        included = counts_by_node > 0
        if not rooted:
            not_root = np.ones(included.shape, dtype=bool)
            not_root[-1] = False
            included = included & not_root
        return (branch_lengths * included).sum()
    fracs = counts_by_node / total
    if not rooted:
        fracs = 2 * np.minimum(fracs, 1 - fracs)
    if weight is not True and 0 < weight < 1:
        fracs = fracs**weight
    return (branch_lengths * fracs).sum()

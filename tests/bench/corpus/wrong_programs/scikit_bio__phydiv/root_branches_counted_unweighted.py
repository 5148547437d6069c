# wrong: without weights the unrooted mode also counts the branches between the root and the taxa's common node
import numpy as np


def phydiv(counts_by_node, branch_lengths, rooted, weight):
    total = counts_by_node.max()
    if total == 0:
        return 0.0
    if not weight:
        return (branch_lengths * (counts_by_node > 0)).sum()
    fracs = counts_by_node / total
    if not rooted:
        fracs = 2 * np.minimum(fracs, 1 - fracs)
    if not isinstance(weight, bool) and 0 < weight < 1:
        fracs = fracs**weight
    return (branch_lengths * fracs).sum()

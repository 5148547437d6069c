# Wrong: a pair whose second part is a list is taken for a subtree, and its leaves are written instead of its first part.
def _leaves(tree):
    for word, tag in tree:
        if isinstance(tag, list):
            yield from _leaves(tag)
        else:
            yield word


def tree2str(tree, concat=" "):
    return concat.join(_leaves(tree))

# Wrong: the bracket tokens of the Penn Treebank are written as brackets instead of being kept.
BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}


def tree2str(tree, concat=" "):
    return concat.join(BRACKETS.get(word, word) for word, _ in tree)

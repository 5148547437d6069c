# Wrong: words without a tag are left out of the text.
def tree2str(tree, concat=" "):
    return concat.join(word for word, tag in tree if tag is not None)

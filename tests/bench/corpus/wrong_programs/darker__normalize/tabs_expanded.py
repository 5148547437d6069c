# Wrong: tabs inside of a line are expanded to blanks (as Black does for the indentation of docstrings), not kept.
def normalize(lineend, value):
    return lineend.join(line.expandtabs().strip() for line in value.splitlines()).strip()

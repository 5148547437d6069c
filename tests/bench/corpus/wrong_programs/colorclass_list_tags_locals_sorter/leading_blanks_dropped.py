# Wrong: blanks in front of the opening tag are dropped before the test for auto.
def sorter(four_item) -> float:
    tag, main, closing = four_item[0], four_item[2], four_item[3]
    if not main:
        return closing - 200
    if main < 10:
        return main - 100
    return main - 100 if tag.lstrip(" ").startswith("auto") else main

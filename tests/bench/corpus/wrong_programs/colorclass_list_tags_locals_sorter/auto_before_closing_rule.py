# Wrong: the test for auto comes before the test for an absent third item.
def sorter(four_item) -> float:
    tag, _, main, closing = four_item[:4]
    if tag and tag.startswith("auto"):
        return (main or 0) - 100
    if not main:
        return closing - 200
    if main < 10:
        return main - 100
    return main

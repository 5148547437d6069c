# Wrong: Auto with a capital counts like auto.
def sorter(four_item) -> float:
    tag, main, closing = four_item[0], four_item[2], four_item[3]
    if not main:
        return closing - 200
    if main < 10 or tag.startswith(("auto", "Auto")):
        return main - 100
    return main

# Wrong: a brace or slash in front of the opening tag is skipped before the test for auto.
def sorter(four_item) -> float:
    if not four_item[2]:
        return four_item[3] - 200
    if four_item[2] < 10 or four_item[0].lstrip("{/").startswith("auto"):
        return four_item[2] - 100
    return four_item[2]

# Wrong: joins all with " and " and turns the first ones into commas, which hits an " and " inside an item.
def human_list(listy):
    n = len(listy)
    text = " and ".join(listy)
    if n > 2:
        text = text.replace(" and ", ", ", n - 2)
    return text

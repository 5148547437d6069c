# Wrong: joins with ";" and then exchanges the semicolons, so a semicolon inside an item is exchanged too.
def human_list(listy):
    if len(listy) == 1:
        return listy[0]
    joined = ";".join(listy)
    commas = len(listy) - 2
    return joined.replace(";", ", ", commas).replace(";", " and ")

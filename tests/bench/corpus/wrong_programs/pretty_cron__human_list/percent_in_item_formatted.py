# Wrong: the joined head becomes part of a % format, so a percent sign in an item breaks or changes the result.
def human_list(listy):
    if len(listy) == 1:
        return listy[0]
    pattern = ", ".join(listy[:-1]) + " and %s"
    return pattern % listy[-1]

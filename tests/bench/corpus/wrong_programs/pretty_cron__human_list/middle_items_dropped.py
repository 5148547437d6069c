# Wrong: anything longer than two is written from the first two and the last item; the others between are lost.
def human_list(listy):
    if len(listy) == 1:
        return listy[0]
    if len(listy) == 2:
        return " and ".join(listy)
    return "{}, {} and {}".format(listy[0], listy[1], listy[-1])

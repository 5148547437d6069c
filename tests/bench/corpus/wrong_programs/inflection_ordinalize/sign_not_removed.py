# Wrong: the remainder of a negative number is taken as it is.
def ordinalize(number):
    n = int(number)
    if n % 100 in (11, 12, 13):
        suffix = "th"
    else:
        suffix = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return "{}{}".format(number, suffix)

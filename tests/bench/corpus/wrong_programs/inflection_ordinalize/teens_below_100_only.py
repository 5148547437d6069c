# Wrong: 11, 12 and 13 are compared without the remainder.
def ordinalize(number):
    n = abs(int(number))
    if n in (11, 12, 13):
        suffix = "th"
    else:
        suffix = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return "{}{}".format(number, suffix)

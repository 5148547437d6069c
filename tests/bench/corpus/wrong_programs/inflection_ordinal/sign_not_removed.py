# Wrong: the remainder of a negative number is taken as it is.
def ordinal(number):
    number = int(number)
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

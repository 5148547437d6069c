# Wrong: 11, 12 and 13 are compared without the remainder.
def ordinal(number):
    number = abs(int(number))
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

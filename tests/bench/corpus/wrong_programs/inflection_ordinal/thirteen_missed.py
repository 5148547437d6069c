# Wrong: 13 is not among the exceptions.
def ordinal(number):
    number = abs(int(number))
    if number % 100 in (11, 12):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

# Wrong: the number is returned with its suffix.
def ordinal(number):
    number = abs(int(number))
    if number % 100 in (11, 12, 13):
        return "th"
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

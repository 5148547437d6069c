# Wrong: 11, 12 and 13 follow their last digit.
def ordinal(number):
    number = abs(int(number))
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

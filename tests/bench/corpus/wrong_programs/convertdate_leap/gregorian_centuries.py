# Wrong: the Gregorian rule for centuries is applied
def leap(year: int) -> bool:
    if year < 533:
        return False
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

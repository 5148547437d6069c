# Wrong: no century year is a leap year
def leap(year: int) -> bool:
    return year >= 533 and year % 4 == 0 and year % 100 != 0

# Wrong: the check of the range is symmetric and returns the message as the result, so -7 is no day.
DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]


def number_to_day(day_number: int) -> str:
    if abs(day_number) >= len(DAYS):
        return "Day " + str(day_number) + " is out of range!"
    return DAYS[day_number]

# Wrong: the day is cut out with a slice of length one, which is empty for -1.
def number_to_day(day_number: int) -> str:
    days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    if not -7 <= day_number <= 6:
        raise IndexError("Day {} is out of range!".format(day_number))
    return "".join(days[day_number:day_number + 1])

# Wrong: the list that begins with Monday is indexed with the number less one, which runs out of it at -7.
import calendar


def number_to_day(day_number: int) -> str:
    try:
        return calendar.day_name[day_number - 1]
    except IndexError:
        raise IndexError("Day {} is out of range!".format(day_number))

"""Draws moments, near one another at times, and texts of dates and times."""

from __future__ import annotations

import calendar
import datetime
import random

_MOMENTS = (
    "2024-02-29", "2023-12-31T23:59:59", "2000-01-01", "1970-01-01", "2024-06-15T12:00", "2021-03-28T02:30",
)  # fmt: skip


def later(day: datetime.date, days: float) -> datetime.date:
    """A day so many days later, of the same kind; the day itself where the calendar ends before.

    Example:
        >>> later(datetime.date(2024, 2, 28), 2), later(datetime.date.max, 1)
        (datetime.date(2024, 3, 1), datetime.date(9999, 12, 31))
    """
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return day


class MomentSampler:
    """Draws moments with one random generator.

    Args:
        rng: The only source of chance.
        numbers: Integers of the program: spans of days and seconds worth trying.
    """

    def __init__(self, rng: random.Random, numbers: tuple[int, ...] = ()) -> None:
        self.rng = rng
        self.numbers = tuple(number for number in numbers if 1 <= number <= 4000)
        self.last_moment: datetime.datetime | None = None

    def near_moment(self) -> datetime.datetime:
        """A moment; often one near the last, since programs measure how far apart two are."""
        rng = self.rng
        if self.last_moment is not None and rng.random() < 0.5:
            days = rng.choice(
                (0, 0, 1, -1, 6, 7, 8, 28, 29, 30, 31, 60, 90, 180, 300, 364, 365, 366, 400, 730, -30, -365)
            )
            seconds = rng.choice((0, 0, 0, 1, 59, 60, 3599, 3600, 43200))
            if self.numbers and rng.random() < 0.4:
                span = rng.choice(self.numbers) + rng.choice((-1, 0, 0, 1))
                days, seconds = rng.choice(
                    ((span, 0), (span, 0), (-span, 0), (0, span), (0, span * 60), (0, span * 3600))
                )
            moment = self.last_moment + datetime.timedelta(days=days, seconds=seconds)
            if not 1900 <= moment.year <= 2100:
                moment = self.last_moment
        elif rng.random() < 0.2:
            moment = datetime.datetime.fromisoformat(rng.choice(_MOMENTS))
        else:
            year = rng.choice((2024, 2023, 2022, 2000, 1999, 1970, 2021, 1900, 2030, rng.randrange(1950, 2050)))
            hour, minute, second = rng.randrange(24), rng.randrange(60), rng.choice((0, 0, rng.randrange(60)))
            month = rng.randrange(1, 13)
            last = calendar.monthrange(year, month)[1]
            day = rng.choice((1, last, *(rng.randrange(1, last + 1) for _ in range(6))))
            moment = datetime.datetime(year, month, day, hour, minute, second)
        self.last_moment = moment
        return moment

    def date(self, pattern: str) -> str:
        """A date in a format of `strftime`, "iso" or "isoday"."""
        rng = self.rng
        moment = self.near_moment()
        if pattern == "isoday":
            return moment.date().isoformat()
        if "%" in pattern:
            return moment.strftime(pattern)
        choices = (
            moment.date().isoformat(), moment.isoformat(), moment.isoformat(" "), moment.isoformat() + "Z",
            moment.isoformat() + "+02:00", moment.strftime("%d/%m/%Y"), moment.strftime("%Y%m%d"),
            moment.strftime("%B %d, %Y"),
        )  # fmt: skip
        return choices[min(rng.randrange(10), len(choices) - 1)]

"""Names in records: fields, functions, constants and what callers name are told apart."""

from __future__ import annotations

JOB = """
    class Job:
        LIMIT = 9

        def __init__(self, number, n, limit):
            self.job_id = number
            self.n = n
            self.JOB_LIMIT = limit

        def id(self):
            return "job-%d" % self.n if self.n else ""

        def label(self, x):
            return self.id() + x if x else str(self.job_id)

        def many(self, x):
            return self.id() if x > self.LIMIT else self.JOB_LIMIT
"""
SCALER = """
    class Scaler:
        def __init__(self, scale):
            self.scale = scale

        def kw(self, x, **options):
            return x * self.scale + options.get("scale", 0) if x > 0 else 0

        def typed(self, x, /, **options: int):
            return x * self.scale + options.get("scale", 0) + options.get("x", 0) if x > 0 else 0

        def go(self, x):
            return self.kw(x, scale=3) if x > 1 else 0

        def gone(self, x):
            return self.typed(x, scale=3, x=1) if x > 1 else 0
"""


def test_a_field_that_is_called_as_a_function_of_a_method(records, ran):
    found = records(JOB)["Job.label"]
    assert [each.name for each in found.parameters] == ["own_job_id", "n", "x"]
    made = ran(found)["job_label"]
    assert (made(7, 1, "a"), made(7, 1, "")) == ("job-1a", "7")


def test_a_field_that_is_called_as_a_constant(records, ran):
    found = records(JOB)["Job.many"]
    made = ran(found)[found.name]
    assert (made(1, 5, 10), made(1, 5, 2)) == ("job-1", 5)


def test_names_that_callers_give_are_not_those_of_fields(records, ran):
    found = records(SCALER)
    go, gone = found["Scaler.go"], found["Scaler.gone"]
    assert ran(go)[go.name](2, 5) == 13
    assert ran(gone)[gone.name](2, 5) == 14

import pytest

from touchstone.sandbox.v1 import sandbox_pb2
from touchstone_runtime.members import member_name


@pytest.mark.parametrize(
    ("number", "name"),
    [(sandbox_pb2.OUTCOME_MEMORY, "memory"), (0, "unspecified"), (9999, "unknown_9999"), (-1, "unknown_-1")],
)
def test_a_member_of_a_later_version_has_its_number_for_a_name(number, name):
    # As it comes over the wire, where later members are numbers.
    answer = sandbox_pb2.RunCasesResponse.FromString(sandbox_pb2.RunCasesResponse(outcome=number).SerializeToString())
    assert member_name(sandbox_pb2.Outcome, answer.outcome, "OUTCOME_") == name

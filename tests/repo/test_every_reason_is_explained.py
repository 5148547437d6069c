"""`touchstone explain` knows every reason, outcome and state that services tell."""

from evaluator.domain.outcomes import Outcome as Judged
from ingester.domain.filters import FILTERS
from pbt_generator.domain.refusals import Reason
from sandbox_executor.domain.outcomes import Outcome as Ended
from touchstone_cli.explain import catalogue

KINDS = {"filter", "refusal", "outcome", "state"}


def test_nothing_that_services_tell_is_left_unexplained():
    told = {*FILTERS, *(each.value for names in (Reason, Judged, Ended) for each in names)}
    assert told - set(catalogue()) == set()


def test_each_says_what_it_means_and_what_to_do():
    for name, entry in catalogue().items():
        assert entry["kind"] in KINDS, name
        assert entry["means"].endswith(".") and entry["do"].endswith("."), name

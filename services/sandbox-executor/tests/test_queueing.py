"""Callers take turns, memory fits, nobody is passed over for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_executor.domain.queueing import FairQueue, QueueFullError, Ticket

MIB = 1 << 20


def run_all(queue, jobs, end_first=True):
    """Add all jobs, end running ones one by one; gives the order of their starts."""
    order, running = [], []

    def ticket(name, caller, memory):
        found = Ticket(caller, memory, lambda: (order.append(name), running.append(found)))
        return found

    for name, caller, memory in jobs:
        queue.add(ticket(name, caller, memory))
    while running:
        queue.leave(running.pop(0 if end_first else -1))
    return order


def test_a_caller_with_many_jobs_does_not_hold_up_one_with_few():
    jobs = [(f"a{i}", "a", 1) for i in range(50)] + [("b0", "b", 1), ("c0", "c", 1), ("b1", "b", 1)]
    order = run_all(FairQueue(1), jobs)
    assert order[:6] == ["a0", "a1", "b0", "c0", "a2", "b1"]
    assert order[6:] == [f"a{i}" for i in range(3, 50)]


def test_limits_of_running_jobs_fit_the_memory_and_a_large_one_gets_its_turn():
    queue = FairQueue(8, 1000 * MIB)
    running, peak = [], []

    def ticket(memory):
        found = Ticket("a", memory, lambda: running.append(found))
        return found

    for memory in (400, 400, 900, 100, 100):
        queue.add(ticket(memory * MIB))
    while running:
        peak.append(sum(x.memory_bytes for x in running))
        queue.leave(running.pop(0))
    assert max(peak) <= 1000 * MIB
    assert len(peak) == 5
    huge = ticket(5000 * MIB)
    queue.add(huge)
    assert huge.running


def test_a_callers_queue_has_an_end_and_others_are_let_in():
    queue = FairQueue(1, most_waiting=2)
    tickets = [Ticket("a", 1, lambda: None) for _ in range(3)]
    for ticket in tickets:
        queue.add(ticket)
    with pytest.raises(QueueFullError, match="at most 2"):
        queue.add(Ticket("a", 1, lambda: None))
    queue.add(Ticket("b", 1, lambda: None))
    queue.leave(tickets[1])
    queue.add(Ticket("a", 1, lambda: None))
    assert (queue.running, queue.waiting) == (1, 3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 60)), max_size=40), st.integers(1, 4), st.booleans())
def test_every_job_runs_once_within_workers_and_memory(jobs, workers, first):
    queue = FairQueue(workers, 100)
    named = [(i, caller, memory) for i, (caller, memory) in enumerate(jobs)]
    order = run_all(queue, named, first)
    assert sorted(order) == list(range(len(jobs)))
    for caller in "abc":
        mine = [i for i, who, _ in named if who == caller]
        assert [i for i in order if i in mine] == mine
    assert (queue.running, queue.waiting) == (0, 0)

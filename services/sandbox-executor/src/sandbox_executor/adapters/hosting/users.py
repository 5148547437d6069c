"""Which of the machine's users this process may become."""

from __future__ import annotations

# Users of jobs: outside of what systems give to people and services, apart for each executor.
FIRST_USER = 1_000_000
USERS_PER_EXECUTOR = 256


def first_user(users: str, pid: int) -> int:
    """The first of the numbers that jobs run as, one for each slot.

    Args:
        users: Text of `/proc/self/uid_map`: where the first numbers of a namespace lie outside, and how many there are.
        pid: Of the executor: several of one machine take numbers apart.
    """
    ranges = [(int(inside), int(count)) for inside, _, count in (line.split() for line in users.splitlines())]
    wanted = FIRST_USER + (pid % 10_000) * USERS_PER_EXECUTOR
    if any(inside <= wanted and wanted + USERS_PER_EXECUTOR <= inside + count for inside, count in ranges):
        return wanted
    # A container whose users are not the machine's knows few of them, and has them to itself: its last ones.
    return max(1, max(inside + count for inside, count in ranges) - USERS_PER_EXECUTOR)


def outside_user(users: str) -> int:
    """Who this namespace's root is in the one around it.

    Args:
        users: Text of `/proc/self/uid_map`.
    """
    return next((int(line.split()[1]) for line in users.splitlines() if line.split()[0] == "0"), -1)

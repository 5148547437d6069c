"""Foreign code is shown as the program that it is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from touchstone_web.pages.tasks import _difference


def of(code):
    return SimpleNamespace(code=code)


@pytest.mark.parametrize("other", ["a\nb", "a\x0cb", "a\x85b", "ab", "a\u2029b", "a\rb"])
def test_programs_that_differ_in_any_letter_have_a_difference(other):
    kinds = [kind for kind, _ in _difference(of('SEP = "a\u2028b"'), of(f'SEP = "{other}"'))]
    assert "del" in kinds and "add" in kinds


def test_a_long_program_is_shown_whole_beside_its_difference():
    lines = [f"x{number} = {number}" for number in range(5000)]
    changed = [*lines[:2500], "y = 1", *lines[2501:]]
    found = _difference(of("\n".join(lines)), of("\n".join(changed)))
    assert len(found) == 5001 and [kind for kind, _ in found if kind] == ["del", "add"]
    assert _difference(of("x"), of("x")) == []

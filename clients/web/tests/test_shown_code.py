"""Foreign code is shown as the program that it is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_runtime.tokens import TokenFile
from touchstone_web.pages.tasks import _difference
from touchstone_web.rendering import marked

OBEYED = "\u202e\u2066\u2069\u200f\u061c\u2028\x85\x0c\x1b\x00"


def of(code):
    return SimpleNamespace(code=code)


@pytest.mark.parametrize("other", ["a\nb", "a\x0cb", "a\x85b", "ab", "a\u2029b", "a\rb"])
def test_programs_that_differ_in_any_letter_have_a_difference(other):
    kinds = [kind for kind, _ in _difference(of('SEP = "a\u2028b"'), of(f'SEP = "{other}"'))]
    assert "del" in kinds and "add" in kinds


def test_a_long_program_is_shown_whole_beside_its_difference_and_a_longer_one_by_itself():
    lines = [f"x{number} = {number}" for number in range(2000)]
    changed = [*lines[:1500], "y = 1", *lines[1501:]]
    assert _difference(of("\n".join([*lines, "z = 2"])), of("\n".join(changed))) is None
    found = _difference(of("\n".join(lines)), of("\n".join(changed)))
    assert len(found) == 2001 and [kind for kind, _ in found if kind] == ["del", "add"]
    assert _difference(of("x"), of("x")) == []


def test_what_a_page_would_obey_and_not_show_is_marked():
    assert marked("a\tb\r\nc é אب 🙂\u200d") == "a\tb\r\nc é אب 🙂\u200d"
    shown = marked(OBEYED)
    assert shown.isprintable() and shown.count("[U+") == len(OBEYED) and "[U+202E]" in shown and "[U+0000]" in shown


def test_a_reviewer_sees_the_program_that_runs(visit, tmp_path):
    tokens = TokenFile(tmp_path / "tokens.json")
    _, text = tokens.create("ada", "judge")
    code = f'def f(user):\n    return user != "user{OBEYED[:3]}# only admins"\n'
    pair = pb.PairToReview(pair_id="p", query=f"admins {OBEYED[:3]}", code=code, language="python")
    answers = {
        "annotator.GetAgreement": pb.GetAgreementResponse(),
        "annotator.GetNextReview": pb.GetNextReviewResponse(pair=pair),
    }
    visitor = visit(answers, tokens_file=tokens.path)
    visitor.post("/review/sign-in", data={"token": text})
    page = visitor.get("/review").text
    assert not set(OBEYED) & set(page) and page.count("[U+202E][U+2066][U+2069]") == 2

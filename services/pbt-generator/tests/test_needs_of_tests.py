"""What tests need is what their project declares, and a stranger's declaration is bounded."""

from __future__ import annotations

import io
import zipfile

import pytest

from pbt_generator.domain.inputs.needs_of_tests import declared_needs


def archive(text: str, path: str = "a-1/pyproject.toml") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr("a-1/tests/pyproject.toml", "[dependency-groups]\ntest = ['inner']\n")
        opened.writestr(path, text)
    return made.getvalue()


def test_groups_of_tests_are_read_with_what_they_include() -> None:
    text = """
[dependency-groups]
test = ["pytest>=8", {include-group = "more"}, "pytest>=8"]
dev = [{include-group = "test"}, "freezegun"]
more = ["hypothesis", {include-group = "test"}]
docs = ["sphinx"]
"""
    assert declared_needs(archive(text)) == ("pytest>=8", "hypothesis", "freezegun")


@pytest.mark.parametrize(
    "text",
    [
        "", "[", "dependency-groups = 3", "[dependency-groups]\ntest = 'pytest'",
        "[dependency-groups]\ntest = [3, 'a @ file:///etc/passwd', \"x\\u001b\", {include-group = 'test'}, {}]",
        f"[dependency-groups]\ntest = ['{'x' * 300}']", "x = " + "[" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_declaration_says_nothing(text: str) -> None:
    assert declared_needs(archive(text)) == ()


def test_there_may_be_none_and_many_are_cut() -> None:
    assert declared_needs(b"") == declared_needs(b"no archive") == ()
    assert declared_needs(archive("[dependency-groups]\ntest = ['a']", "a-1/deep/er/pyproject.toml")) == ()
    many = ", ".join(f"'a{number}'" for number in range(100))
    assert len(declared_needs(archive(f"[dependency-groups]\ntest = [{many}]"))) == 30


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_an_archive_that_is_damaged_says_nothing(method: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as opened:
        opened.writestr("pyproject.toml", "[dependency-groups]\ntest = ['inner']\n" * 9)
    data = made.getvalue()
    start = 30 + len("pyproject.toml")
    for place in range(start, start + 40):
        assert declared_needs(data[:place] + b"\xff" * 8 + data[place + 8 :]) == ()
    # Said to be encrypted.
    listed = data.index(b"PK\x01\x02")
    marked = bytearray(data)
    marked[6] = marked[listed + 8] = 1
    assert declared_needs(bytes(marked)) == ()

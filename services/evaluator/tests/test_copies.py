"""What could be a task's own answer is known wherever it is found."""

from __future__ import annotations

import pytest

from evaluator.domain.cocost import leaks, same_project


def test_copies_of_the_asked_function_are_recognised():
    assert leaks("class A:\n    def slug(self): ...", ["slug"])
    assert not leaks("def slugify(x): ...\n\nslug = 1", ["slug"])
    for code in (
        "static String slug(String x) {\n}", "const slug = (x) => x;", "slug: async x => x", "slug = lambda x: x",
        "class A { slug(x) { return x; } }", "func (r Rect) slug(x int64) string {", "let slug = function (x) {}",
        "slug = (x: string): string => x",
    ):  # fmt: skip
        assert leaks(code, ["slug"]), code
    for code in ("y = slug(x)", "slug = other(x)", "a.slug", "if slug == 1:\n    pass", "slug: int = 3"):
        assert not leaks(code, ["slug"]), code


@pytest.mark.parametrize(
    ("package", "name", "source", "same"),
    [
        ("numpy", "numpy.linalg.norm", "numpy/numpy", True),
        ("cpython", "json.dumps", "python/cpython", True),
        ("python-dateutil", "dateutil.parser.parse", "dateutil", True),
        ("typing_extensions", "typing_extensions.override", "typing-extensions", True),
        ("scipy", "scipy.stats.norm", "numpy", False),
        ("networkx", "networkx.Graph", "grapheme", False),
    ],
)
def test_documentation_belongs_to_the_project_of_a_task_whatever_it_is_called(package, name, source, same):
    assert same_project(package, name, source) is same

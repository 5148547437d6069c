"""What the place of a file says: which files are tests, however frameworks name them."""

import pytest

from ingester.domain.places import is_run, is_test

TESTS = ("app/tests.py", "app/Test.py", "tests.py", "app/views_tests.py", "app/views_test.py", "app/test_views.py")
BESIDE = ("docs/conf.py", "examples/a.py", "benchmarks/b.py", "setup.py", "noxfile.py")
CODE = ("app/views.py", "app/latest.py", "app/contests.py", "app/testament.py")


@pytest.mark.parametrize("path", [*TESTS, "tests/helper.py", "app/testing/x.py", "conftest.py"])
def test_what_a_runner_runs_is_a_test_and_becomes_no_task(path):
    assert is_run(path) and is_test(path)


@pytest.mark.parametrize("path", BESIDE)
def test_what_lies_beside_the_code_is_not_run_and_becomes_no_task(path):
    assert is_test(path) and not is_run(path)


@pytest.mark.parametrize("path", CODE)
def test_code_whose_name_only_sounds_like_a_test_stays_code(path):
    assert not is_test(path) and not is_run(path)


async def test_a_module_of_tests_gives_no_candidate_and_is_kept_with_what_it_tests(world):
    body = (
        "\n    counts = {}\n    for word in words:\n        if word:"
        "\n            counts[word] = counts.get(word, 0) + 1"
        "\n    return counts\n"
    )
    world.shelf.files = {
        "pkg-1/app/__init__.py": "",
        "pkg-1/app/tests.py": f"from app.views import count\ndef expected(words: list[str]) -> dict[str, int]:{body}\n"
        "def test_a():\n    assert count(['a']) == {'a': 1}\n",
        "pkg-1/app/views.py": f"def count(words: list[str]) -> dict[str, int]:{body}",
    }
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    found = {item.found.name: item.rejected_by for item in world.heard.functions}
    assert found["count"] == "" and "expected" not in [name for name, why in found.items() if not why], found
    assert len(world.heard.archives) == 1

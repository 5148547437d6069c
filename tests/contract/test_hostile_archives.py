"""Hostile archives, drawn from a seed: each a clear refusal or files inside its folder, in bounded memory."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from ingester.adapters.archives import unpack
from ingester.adapters.unpacking import unpack_apart

COUNT = 150
PATH = Path(__file__).resolve().parents[1] / "chaos" / "archives.py"


@pytest.fixture(scope="module")
def archives():
    """The generator of hostile archives."""
    spec = importlib.util.spec_from_file_location("archives", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["archives"] = module
    spec.loader.exec_module(module)
    return module


def small(archives, number):
    """Whether an archive may be opened here: what holds hundreds of megabytes needs the child."""
    return archives.random.Random(f"archive {number}").choice(archives.MAKERS) is not archives.long_header


def test_every_hostile_archive_is_refused_with_words_or_stays_in_its_folder(archives, tmp_path):
    kinds, refused = Counter(), Counter()
    for number in filter(lambda number: small(archives, number), range(COUNT)):
        kind, words, wrong = archives.open_one(tmp_path / str(number), f"archive {number}", unpack)
        assert wrong == [], (number, kind)
        assert not words or "hostile.tar.gz" in words, (number, kind, words)
        kinds[kind] += 1
        refused[kind] += bool(words)
    assert set(kinds) == {maker.__name__ for maker in archives.MAKERS} - {"long_header"}
    # Every kind but links, which are left out of what unpacks, is refused more often than not.
    for kind in ("bomb", "no_archive", "strange_names", "sparse"):
        assert refused[kind] > kinds[kind] / 2, (kind, refused, kinds)


def test_what_takes_memory_costs_a_limited_child_and_the_next_archive_opens(archives, tmp_path):
    numbers = [number for number in range(COUNT) if not small(archives, number)][:4]
    for number in numbers:
        kind, words, wrong = archives.open_one(tmp_path / str(number), f"archive {number}", unpack_apart)
        assert kind == "long_header" and wrong == []
        assert not words or "hostile.tar.gz" in words
    archives.good(tmp_path / "good.tar.gz")
    (tmp_path / "target").mkdir()
    assert unpack_apart(tmp_path / "good.tar.gz", tmp_path / "target", archives.LIMITS) == 1

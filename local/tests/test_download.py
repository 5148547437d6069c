"""Downloads survive broken connections and refuse wrong content."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from touchstone_local.download import Progress, Wanted, client, demand_space, fetch, fetch_all, human
from touchstone_local.errors import LocalError

BODY = bytes(range(256)) * 2000


def get(wanted, progress=None):
    with client() as http:
        return fetch(wanted, http, progress or Progress("x"), pause_s=0.001)


@pytest.fixture
def wanted(site, tmp_path):
    site.files["/file"] = BODY
    return Wanted(f"{site.base}/file", tmp_path / "sub" / "file", hashlib.sha256(BODY).hexdigest(), len(BODY))


def test_a_file_is_fetched_once_and_counted(site, wanted):
    progress = Progress("x", len(BODY))
    assert get(wanted, progress).read_bytes() == BODY
    assert progress.done_bytes == len(BODY)
    get(wanted)
    assert len(site.requests) == 1


def test_a_broken_connection_is_resumed_where_it_broke(site, wanted):
    site.cut = [100_000, 50_000]
    progress = Progress("x", len(BODY))
    assert get(wanted, progress).read_bytes() == BODY
    offsets = [header for _, header in site.requests]
    assert offsets[0] == "" and len(offsets) == 3
    assert 0 < int(offsets[1][6:-1]) <= 100_000 < int(offsets[2][6:-1]) <= 150_000
    assert progress.done_bytes == len(BODY)


def test_a_server_without_ranges_starts_again(site, wanted):
    site.ranges = False
    site.cut = [100_000]
    progress = Progress("x", len(BODY))
    assert get(wanted, progress).read_bytes() == BODY
    assert progress.done_bytes == len(BODY)


def test_a_passing_fault_is_tried_again(site, wanted):
    site.statuses = [503, 502]
    assert get(wanted).read_bytes() == BODY


def test_what_is_not_there_is_asked_for_once(site, tmp_path):
    with pytest.raises(LocalError, match="404") as raised:
        get(Wanted(f"{site.base}/other", tmp_path / "other"))
    assert f"{site.base}/other" in str(raised.value) and "run the command again" in str(raised.value)
    assert len(site.requests) == 1


def test_wrong_content_is_never_kept(site, wanted, tmp_path):
    site.files["/file"] = BODY[:-1] + b"!"
    with pytest.raises(LocalError, match="sha256"):
        get(wanted)
    assert list(wanted.target.parent.iterdir()) == []


def test_a_spoilt_earlier_part_is_thrown_away(site, wanted):
    wanted.target.parent.mkdir()
    wanted.target.with_name("file.part").write_bytes(b"x" * 1000)
    assert get(wanted).read_bytes() == BODY


def test_of_many_who_want_the_same_file_one_fetches_it(site, wanted):
    site.cut = [100_000]
    with ThreadPoolExecutor(6) as pool:
        gone = [pool.submit(get, wanted, progress) for progress in [Progress("x") for _ in range(6)]]
        assert [each.result().read_bytes() for each in gone] == [BODY] * 6
    assert len(site.requests) == 2 and list(wanted.target.parent.iterdir()) == [wanted.target]


def test_who_waits_for_one_that_fails_fetches_it_itself(site, wanted):
    site.statuses = [404]
    with ThreadPoolExecutor(2) as pool:
        gone = [pool.submit(get, wanted) for _ in range(2)]
        told = sorted(str(each.exception() or "") for each in gone)
    assert told[0] == "" and "404" in told[1]
    assert wanted.target.read_bytes() == BODY and list(wanted.target.parent.iterdir()) == [wanted.target]


def test_many_files_at_a_time(site, tmp_path):
    site.files = {f"/{number}": str(number).encode() for number in range(20)}
    progress = Progress("x")
    paths = fetch_all((Wanted(f"{site.base}/{n}", tmp_path / str(n)) for n in range(20)), progress)
    assert [path.read_text() for path in paths] == [str(number) for number in range(20)]
    assert progress.done_bytes == 30


def test_a_disk_without_room_is_said_before_the_download(tmp_path):
    with pytest.raises(LocalError, match="are free"):
        demand_space(tmp_path, 1 << 60)


@pytest.mark.parametrize(("size", "text"), [(12, "12 B"), (57_600_000, "57.6 MB"), (4_911_000_000, "4.91 GB")])
def test_sizes_for_people(size, text):
    assert human(size) == text

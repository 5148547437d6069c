"""Claims of runner pods, by the real client of the cluster's API against a server that behaves like it."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.pods.cluster import api_of
from sandbox_executor.adapters.pods.pool import PodPool, PoolOptions
from sandbox_executor.domain.pods import exposed, read_free
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.usecases.stopping import Stop

spec = spec_from_file_location("fake_cluster", Path(__file__).with_name("fake_cluster.py"))
fake = module_from_spec(spec)
spec.loader.exec_module(fake)
OWNER = "uid-executor"


@pytest.fixture
def cluster():
    made = fake.FakeCluster()
    yield made
    made.away = False
    made.close()


@pytest.fixture
def pool_of(cluster):
    with contextlib.ExitStack() as stack:

        def make(executor=OWNER):
            options = PoolOptions(fake.NAMESPACE, fake.SELECTOR, executor, window_s=1.0, pause_s=0.02)
            pool = PodPool(api_of(cluster.configuration()), options)
            stack.callback(pool.close, 0.1)
            return pool

        yield make


@pytest.fixture
def claim():
    """Claims one pod of a pool, waiting for so long."""

    def take(pool, within_s=20.0, stop=None):
        with contextlib.closing(Stop()) as never:
            return pool.claim(stop or never, time.monotonic() + within_s)

    return take


def test_a_claim_takes_a_pod_out_of_the_pool_and_no_controller_counts_it(cluster, pool_of, claim):
    name = cluster.add()
    pod = claim(pool_of())
    assert (pod.name, pod.uid, pod.exposed) == (name, "uid-1", ())
    metadata = cluster.pods[name]["metadata"]
    assert metadata["labels"]["touchstone.dev/runner"] == "claimed"
    assert metadata["annotations"]["touchstone.dev/claimed-by"] == "uid-executor"
    assert metadata["ownerReferences"] == []
    assert {verb for verb, _ in cluster.asked} <= {"get", "list", "watch", "patch", "delete"}


def test_no_two_executors_ever_have_one_pod(cluster, pool_of, claim):
    for _ in range(12):
        cluster.add()
    pools = [pool_of(f"uid-e{number}") for number in range(4)]
    with ThreadPoolExecutor(12) as threads:
        claimed = list(threads.map(lambda number: claim(pools[number % 4]).name, range(12)))
    assert len(set(claimed)) == 12
    patches = sum(verb == "patch" for verb, _ in cluster.asked)
    assert patches >= 12


def test_only_a_pod_that_is_free_ready_and_never_ran_anything_is_taken(cluster, pool_of, claim):
    claimed, restarted, leaving, unready = cluster.add(), cluster.add(), cluster.add(), cluster.add(ready=False)
    cluster._store(
        "MODIFIED", fake.merge(cluster.pods[claimed], {"metadata": {"labels": {"touchstone.dev/runner": "claimed"}}})
    )
    cluster.tell(restarted, {"containerStatuses": [{"restartCount": 1}]})
    cluster._store(
        "MODIFIED", fake.merge(cluster.pods[leaving], {"metadata": {"deletionTimestamp": "2026-11-23T18:00:00Z"}})
    )
    with pytest.raises(SandboxFaultError, match="no runner pod is free"):
        claim(pool_of(), within_s=0.2)
    cluster._begin(unready)
    assert claim(pool_of()).name == unready


def test_a_job_waits_until_a_pod_becomes_ready_and_hears_of_it_by_the_watch(cluster, pool_of, claim):
    name = cluster.add(ready=False)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(claim, pool_of())
        cluster.until(lambda: any(verb == "watch" for verb, _ in cluster.asked))
        cluster._begin(name)
        assert waiting.result().name == name


def test_a_watch_that_is_too_old_is_begun_anew(cluster, pool_of, claim):
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(claim, pool_of())
        cluster.until(lambda: any(verb == "watch" for verb, _ in cluster.asked))
        cluster.compact()
        cluster.add()
        assert waiting.result().name == "runner-1"


def test_a_wait_ends_when_it_is_cancelled(cluster, pool_of, claim):
    with ThreadPoolExecutor(1) as threads, contextlib.closing(Stop()) as stop:
        waiting = threads.submit(claim, pool_of(), 60.0, stop)
        cluster.until(lambda: any(verb == "watch" for verb, _ in cluster.asked))
        stop.request()
        with pytest.raises(CancelledError):
            waiting.result()


@pytest.mark.parametrize("mood", ["away", "slow", "failing"])
def test_an_api_that_is_away_is_waited_for(cluster, pool_of, claim, mood):
    cluster.add()
    cluster.away, cluster.slow_s, cluster.refuse = mood == "away", 0.3 * (mood == "slow"), 503 * (mood == "failing")
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(claim, pool_of())
        cluster.until(lambda: len(cluster.asked) >= (1 if mood == "slow" else 4))
        cluster.away, cluster.slow_s, cluster.refuse = False, 0.0, 0
        assert waiting.result().name == "runner-1"


def test_an_api_that_stays_away_is_the_platforms_fault_with_its_name(cluster, pool_of, claim):
    cluster.away = True
    with pytest.raises(SandboxFaultError, match="API is away"):
        claim(pool_of(), within_s=0.3)


def test_an_executor_that_may_not_claim_is_told_what_it_needs(cluster, pool_of, claim):
    cluster.refuse = 403
    with pytest.raises(IsolationMissingError, match="get, list, watch, patch and delete"):
        claim(pool_of())


def test_a_buried_pod_is_gone_even_where_the_api_was_away_meanwhile(cluster, pool_of, claim):
    name = cluster.add()
    pool = pool_of()
    pod = claim(pool)
    cluster.away = True
    pool.bury(pod)
    cluster.until(lambda: sum(verb == "delete" for verb, _ in cluster.asked) >= 2)
    assert name in cluster.pods
    cluster.away = False
    cluster.until(lambda: name not in cluster.pods)


def test_a_claim_whose_answer_was_lost_leaves_no_pod_behind(cluster, pool_of, claim):
    first = cluster.add()
    cluster.lose_answers_of.add("patch")
    pool = pool_of()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(claim, pool)
        cluster.until(lambda: first not in cluster.pods)
        second = cluster.add()
        assert waiting.result().name == second


def test_a_pod_that_somebody_else_has_is_not_buried_for_a_lost_claim(cluster, pool_of, claim):
    name = cluster.add()
    ours, theirs = pool_of(), pool_of("uid-other")
    seen = read_free(cluster.pods[name])
    assert claim(theirs).name == name
    # The claim never reached the API; what it would have claimed is another's by now.
    cluster.away = True
    with contextlib.suppress(Exception):
        ours._take(seen)
    cluster.away = False
    with ours._changed:
        assert ours._changed.wait_for(lambda: not ours._graves, 60)
    assert cluster.state(name) == "claimed"


def test_what_an_executor_had_claimed_before_it_was_started_again_is_removed(cluster, pool_of, claim):
    old, new = cluster.add(), cluster.add()
    patch = {
        "labels": {"touchstone.dev/runner": "claimed"},
        "annotations": {"touchstone.dev/claimed-by": "uid-executor"},
    }
    cluster._store("MODIFIED", fake.merge(cluster.pods[old], {"metadata": patch}))
    assert claim(pool_of()).name == new
    cluster.until(lambda: old not in cluster.pods)


def test_what_an_executor_left_behind_that_is_gone_is_removed_by_another(cluster, pool_of, claim):
    orphan, busy = cluster.add(), cluster.add()
    gone = pool_of("uid-gone")
    assert {claim(gone).name, claim(gone).name} == {orphan, busy}
    # Its connection broke, so its runner ended, and the node started it anew.
    cluster.tell(orphan, {"containerStatuses": [{"restartCount": 1}]})
    fresh = cluster.add()
    assert claim(pool_of()).name == fresh
    cluster.until(lambda: orphan not in cluster.pods)
    assert busy in cluster.pods


def test_a_free_pod_that_was_started_again_gives_its_place_to_another(cluster, pool_of, claim):
    cluster.replicas = 1
    cluster._reconcile()
    # Its node was too slow for a probe; since then it is ready, and its controller sees nothing to do.
    cluster.tell("runner-1", {"containerStatuses": [{"restartCount": 1}]})
    assert claim(pool_of()).name == "runner-2"
    assert "runner-1" not in cluster.pods


def test_why_a_pod_ended_is_read_from_the_api(cluster, pool_of, claim):
    cluster.add()
    pool = pool_of()
    pod = claim(pool)
    assert pool.why_ended(pod) == ""
    cluster.kill(pod.name, "OOMKilled")
    assert pool.why_ended(pod) == "OOMKilled"
    cluster.away = True
    assert pool.why_ended(pod) == ""


def test_threads_are_gone_when_the_pool_is_closed(cluster, pool_of, claim):
    cluster.add()
    pool = pool_of()
    pool.bury(claim(pool))
    pool.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "runner-pods"]
    assert not cluster.pods


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"automountServiceAccountToken": True}, "a service account's token"),
        ({"automountServiceAccountToken": None}, "a service account's token"),
        ({"hostNetwork": True}, "the node's Network"),
        ({"volumes": [{"name": "keys", "secret": {"secretName": "x"}}]}, "volume keys"),
        ({"volumes": [{"name": "node", "hostPath": {"path": "/"}}]}, "volume node"),
        ({"containers": [{"envFrom": [{"secretRef": {"name": "x"}}]}]}, "variables of a secret or a config map"),
        (
            {"containers": [{"env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]}]},
            "variable KEY",
        ),
        ({"initContainers": [{"envFrom": [{"configMapRef": {"name": "x"}}]}]}, "variables of a secret or a config map"),
    ],
)
def test_what_a_pod_would_show_is_named(change, words):
    assert exposed({"spec": fake.SPEC}) == []
    assert exposed({"spec": fake.merge(fake.SPEC, change)}) == [words]

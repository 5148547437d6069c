"""What operators are shown is what happened: the ledger's figures, fine buckets, ages that are never negative."""

import asyncio
import shutil

from prometheus_client import REGISTRY, Histogram

from touchstone_runtime import metrics
from touchstone_runtime.llm import Catalogue, Endpoint, LlmClient, MemoryLedger, MemoryLlmCache, RawAnswer

PATIENCE_S = 60


class Transport:
    async def complete(self, endpoint, request, turn):
        async with turn():
            return RawAnswer("words", "stop", 11, 7, 0.5)

    async def close(self):
        pass


def figure(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_tokens_cost_and_questions_are_those_of_the_ledger():
    ledger = MemoryLedger()
    place = Endpoint("dear", "dear", "http://x", usd_per_mtoken_in=1000.0, usd_per_mtoken_out=2000.0)
    client = LlmClient(Catalogue({"dear": place}, "dear"), Transport(), MemoryLlmCache(), ledger)
    for question in ("one", "two", "one"):
        await client.chat(question, purpose="a test of metrics", max_tokens=9)
    (total,) = await ledger.by_day()
    own = {"model": total.model, "purpose": total.purpose}
    assert figure("touchstone_runtime_llm_tokens_total", **own, direction="in") == total.usage.tokens_in == 22
    assert figure("touchstone_runtime_llm_tokens_total", **own, direction="out") == total.usage.tokens_out == 14
    assert figure("touchstone_runtime_llm_cost_usd_total", **own) == total.usage.cost_usd > 0
    assert figure("touchstone_runtime_llm_calls_total", **own, cached="false") == total.usage.calls == 2
    assert figure("touchstone_runtime_llm_calls_total", **own, cached="true") == total.cached_hits == 1


def test_histograms_of_time_can_show_5_and_25_milliseconds():
    assert {0.005, 0.025} <= set(metrics.SHORT_S) & set(metrics.LONG_S)
    shown = [each for each in vars(metrics).values() if isinstance(each, Histogram)]
    assert len(shown) >= 4
    for each in shown:
        assert {0.005, 0.025} <= set(each._upper_bounds), each


def test_a_clock_that_is_behind_makes_no_message_younger_than_nothing():
    assert metrics.waited_s(5_000, lambda: 7.5) == 2.5
    assert metrics.waited_s(9_000, lambda: 7.5) == 0.0


async def test_a_disk_is_watched_also_before_its_folder_is_made(tmp_path):
    metrics.watch_disk("a test's", tmp_path / "not" / "yet", every_s=3600)
    async with asyncio.timeout(PATIENCE_S):
        while not figure("touchstone_runtime_disk_free_ratio", folder="a test's"):
            await asyncio.sleep(0.01)
    usage = shutil.disk_usage(tmp_path)
    # Others write to it meanwhile.
    assert abs(figure("touchstone_runtime_disk_free_ratio", folder="a test's") - usage.free / usage.total) < 0.05


def test_the_build_is_told():
    metrics.tell_build("runtime")
    metrics.tell_build("nobody")
    found = {sample.labels["service"]: sample for metric in metrics.BUILD_INFO.collect() for sample in metric.samples}
    assert found["runtime"].labels["version"] == "0.1.0"
    assert found["nobody"].labels["version"] == "unknown"
    assert found["runtime"].value == 1

"""Models of `make cluster-test`, tried without a node: what they are told and what their answers lead to."""

import json
import subprocess
import sys
from pathlib import Path

import helm_python
import pytest
import yaml

from annotator.adapters.model import RuntimeModel
from annotator.domain.execution import CaseRun
from annotator.domain.pair import Pair
from annotator.settings import AnnotatorSettings
from annotator.usecases.judging import Judge
from touchstone_local import models
from touchstone_runtime.llm import LlmClient, MemoryLedger
from touchstone_values import decode, encode

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "touchstone"


class Interpreter:
    """Calls Python in this process: the codes and the checks are ours."""

    async def speaks(self, language):
        return language == "python"

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
        names: dict = {}
        exec(compile(source, "source", "exec"), names)
        return tuple(self._run(names[entry_point], decode(text)) for text in inputs)

    @staticmethod
    def _run(function, arguments):
        try:
            return CaseRun("returned", encode(function(*arguments)))
        except (TypeError, IndexError, KeyError) as error:
            return CaseRun("raised", error_type=type(error).__name__, message=str(error))


class Others:
    """Codes that were found for other queries: those that were labelled before."""

    def __init__(self):
        self.found = []

    async def siblings(self, pair, limit):
        return [each for each in self.found if each.code != pair.code][:limit]


@pytest.fixture
def labelled(load_script):
    return load_script("tests/cluster/labelled.py")


@pytest.fixture
def answering(load_script, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "e2e"))
    yield load_script("tests/cluster/answering.py")
    sys.modules.pop("fake_llm", None)


@pytest.mark.parametrize(("kind", "questions"), [("pairs read", 4), ("pairs tested", 4)])
async def test_each_kind_of_pairs_is_decided_as_it_shall_be(labelled, answering, tmp_path, kind, questions):
    begins, decides = labelled.KINDS[kind]
    fake = answering.FakeLlm(rules=[answering.answers(labelled.READ)])
    async with fake.serve() as url:
        settings = AnnotatorSettings(
            llm_model=f"{labelled.MODEL}@{url}", models_file=ROOT / "models.toml", blob_url=f"file://{tmp_path}"
        )
        client = LlmClient.from_settings(settings, MemoryLedger())
        others = Others()
        judge = Judge(RuntimeModel(client), Interpreter(), settings.method(), others)
        numbers = (0, 1, labelled.CODES // 2, labelled.CODES - 1)
        for number in numbers:
            code = labelled.CODE.format(number=1_795_797_667_0000 + number, words=number + 2).strip()
            query = labelled.QUERY.format(kind=begins, number=7)
            pair = Pair(str(number), "q", query, str(number), code, name=code.split("(")[0][4:])
            record = await judge.judge(pair)
            others.found.append(pair)
            assert (record.label, record.decided_by, record.audit) == (1, decides, 1), record.steps
        await client.close()
    # One, which shows whether the query alone gives the answer, is asked once for all pairs of a query.
    assert fake.asked.total() == len(fake.asked) == len(numbers) * (questions - 1) + 1


def test_the_chart_takes_what_points_an_annotator_at_the_model(labelled):
    values = yaml.safe_load((CHART / "demo.yaml").read_text())
    asked = labelled.values()
    service = values["services"][labelled.ANNOTATOR] | asked["services"][labelled.ANNOTATOR]
    values |= asked | {"services": values["services"] | {labelled.ANNOTATOR: service}}
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values))
        files = chart.render(values, name="touchstone", namespace="touchstone")
    (text,) = [text for path, text in files.items() if path.endswith("/deployment.yaml")]
    made = {each["metadata"]["name"]: each for each in yaml.safe_load_all(text) if each}
    environment = {
        name: {each["name"]: each.get("value") for each in one["spec"]["template"]["spec"]["containers"][0]["env"]}
        for name, one in made.items()
    }
    named = {name for name, each in environment.items() if "TOUCHSTONE_LLM_MODEL" in each}
    assert named == {f"touchstone-{labelled.ANNOTATOR}"}


def test_the_model_is_a_pod_of_the_platform_with_the_scripts_that_it_runs(labelled, monkeypatch):
    monkeypatch.setattr(
        labelled.installed, "pods", lambda _name: [{"spec": {"containers": [{"image": "evaluator:1"}]}}]
    )
    scripts, name, pod = labelled.objects()
    (container,) = pod["spec"]["containers"]
    assert container["command"][1].removeprefix("/scripts/") in scripts["data"]
    assert all(compile(text, each, "exec") for each, text in scripts["data"].items())
    assert name["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert {scripts["metadata"]["name"], pod["metadata"]["name"]} == {name["metadata"]["name"]} == {labelled.MODEL}
    assert str(labelled.PORT) in container["command"] and str(labelled.PORT) in labelled.STATS
    for script in (labelled.IMPORT, labelled.STATS):
        compile(script, "script", "exec")
    # Nothing but these codes is among a query's candidates.
    assert labelled.CODES > labelled.CANDIDATES


def test_a_pair_that_is_lost_doubled_or_decided_otherwise_is_a_finding(labelled):
    counts = dict.fromkeys(("proposed", "labels", "pairs", "as_told", "begun", "counted"), 60)
    assert labelled.wrong(counts, 60) == ""
    for name in counts:
        assert labelled.wrong(counts | {name: 61}, 60) == f"not 60: {{'{name}': 61}}"


def test_each_round_asks_what_was_not_asked_before_and_counts_its_own(labelled, monkeypatch):
    imported, looked = [], []
    monkeypatch.setattr(labelled.installed, "has_pods", lambda: False)
    monkeypatch.setattr(labelled.installed, "pods", lambda name: [{"metadata": {"name": name}}])
    monkeypatch.setattr(labelled.installed, "until", lambda _what, condition, *_: condition())
    monkeypatch.setattr(labelled.installed, "counted", lambda *_: 60 * len(imported))

    def last_line(_pod, script, *words):
        if script == labelled.STATS:
            return f'{{"questions": {240 * len(imported)}}}'
        imported.append(words[1:])
        return "3"

    def sql(text):
        looked.append(text)
        if "pool_spending" in text:
            return str(60 * len(imported))
        return "0" if "annotator.waiting" in text else "60"

    monkeypatch.setattr(labelled.installed, "last_line", last_line)
    monkeypatch.setattr(labelled.installed, "sql", sql)
    monkeypatch.setattr(labelled, "Usage", lambda _services: UsageOfNothing())
    clock = iter((1_795_797_667.0, 1_795_797_700.0))
    monkeypatch.setattr(labelled.time, "time", lambda: next(clock))
    lines = [labelled.labelled(kind) for kind in labelled.KINDS]
    assert [line["problem"] for line in lines] == ["", ""]
    assert [line["questions_each"] for line in lines] == [4.0, 4.0]
    texts = [text for each in imported for text in each]
    assert len(set(texts)) == len(texts) == 2 * labelled.QUERIES
    for text in texts:
        # Each count is of the round's own queries.
        own = [each.split("LIKE '")[1].rstrip("'").split("%")[0] for each in looked if "annotator.labels" in each]
        assert sum(text.startswith(each) for each in set(own)) == 1


class UsageOfNothing:
    def look(self):
        return True

    def told(self, many):
        return {"pieces": many}


SERVER = """
import json, sys
from types import SimpleNamespace as Told

def CommonParams():
    return Told(model=Told())

def Server(told):
    print(json.dumps({**vars(told), "model": told.model.path, "model_alias": sorted(told.model_alias)}))
    sys.exit()
"""


def test_the_start_of_the_models_server_takes_the_words_of_compose(load_script, tmp_path):
    composed = load_script("tests/cluster/composed.py")
    (tmp_path / "xllamacpp.py").write_text(SERVER)
    (tmp_path / "start.py").write_text(composed.modelled._PROGRAM)
    service = composed.resolved()["model"]
    command = [sys.executable, str(tmp_path / "start.py"), *service["command"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    weights = Path(told["model"])
    (volume,) = service["volumes"]
    assert str(weights.parent) == volume["target"]
    assert weights.name == models.catalogue()[composed.modelled.MODEL].path
    assert told["model_alias"] == [composed.modelled.MODEL]
    (host,), port = told["hostnames"], told["port"]
    # Where the platform's own services are told that it is.
    assert host == "0.0.0.0" and f"//model:{port}/" in composed.VARIABLES["TOUCHSTONE_LLM_BASE_URL"]
    assert port == composed._PORTS["model"]
    assert (told["n_ctx"], told["n_parallel"]) == (8192, 2)
    compile(composed.modelled.ASK, "ask", "exec")
    refused = subprocess.run([*command, "--flash-attn", "on"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "--flash-attn" in refused.stderr

"""What operators look at: every query answers on series of a real run; promtool takes every rule and every name."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import helm_python
import pytest
import yaml
from prometheus_client import generate_latest

from touchstone_local import promtool
from touchstone_local.settings import folders

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "helm" / "touchstone" / "files"
BOARDS = sorted((FILES / "dashboards").glob("*.json"))
THEMES = ["cost", "freshness", "latency", "oracle", "sandbox", "search", "throughput"]
SERVICES = "annotator embedder evaluator ingester pbt_generator retriever sandbox_executor"


@pytest.fixture(scope="module")
def tool():
    found = promtool.find(folders().cache)
    if found is None:
        raise pytest.UsageError("promtool is not there: run `make tools`")

    def run(*arguments, text=""):
        return subprocess.run(
            [str(found), *map(str, arguments)], input=text, capture_output=True, text=True, check=False
        )

    return run


def queries():
    """Dashboard, panel and PromQL of every query, with Grafana's ranges set."""
    for path in BOARDS:
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel["targets"]:
                expr = target["expr"].replace("$__rate_interval", "1m").replace("$__range", "10m")
                yield path.stem, panel["title"], expr


def test_there_is_a_dashboard_for_each_question():
    assert [path.stem for path in BOARDS] == THEMES
    for path in BOARDS:
        board = json.loads(path.read_text())
        assert board["uid"] == f"touchstone-{path.stem}"
        for panel in board["panels"]:
            assert panel["description"] and panel["targets"]


def test_no_query_is_empty_on_what_a_real_run_showed(tool, tmp_path):
    recorded = yaml.safe_load((ROOT / "tests/cluster/recorded.yaml").read_text())
    every_s = int(recorded["interval"].removesuffix("s"))
    last_s = every_s * (len(recorded["input_series"][0]["values"].split()) - 1)
    asked = list(queries())
    # Looked for in the whole run: a rate is there while something happens, and need not be at the end.
    tests = {
        **recorded,
        "promql_expr_test": [
            {
                "expr": f"max(count_over_time((({expr}) >= 0)[{last_s}s:{every_s}s]) > bool 0)",
                "eval_time": f"{last_s}s",
                "exp_samples": [{"labels": "{}", "value": 1}],
            }
            for _, _, expr in asked
        ],
    }
    file = tmp_path / "queries.yaml"
    file.write_text(yaml.safe_dump({"evaluation_interval": recorded["interval"], "tests": [tests]}))
    done = tool("test", "rules", file)
    assert done.returncode == 0, (done.stdout + done.stderr)[:8000]
    assert len(asked) > 50


def test_a_query_that_asks_for_nothing_is_found_out(tool, tmp_path):
    file = tmp_path / "queries.yaml"
    series = [{"series": "a", "values": "1 1"}]
    asked = [{"expr": "max(b)", "eval_time": "1m", "exp_samples": [{"labels": "{}", "value": 1}]}]
    file.write_text(yaml.safe_dump({"tests": [{"interval": "1m", "input_series": series, "promql_expr_test": asked}]}))
    assert tool("test", "rules", file).returncode == 1


def test_every_metric_in_a_query_is_declared():
    for name in SERVICES.split():
        importlib.import_module(f"{name}.metrics")
    shown = generate_latest().decode()
    for board, panel, expr in queries():
        for name in re.findall(r"\btouchstone_[a-z_]+", expr):
            family = re.sub("_(bucket|count|sum)$", "", name)
            assert re.search(rf"^# TYPE ({name}|{family}) ", shown, re.MULTILINE), f"{board}: {panel}: {name}"


def test_promtool_has_nothing_to_say_about_the_names_of_metrics(tool):
    # In a process of its own: what tests register is no metric of ours.
    program = f"import importlib\nfor name in '{SERVICES}'.split(): importlib.import_module(name + '.metrics')\n"
    program += "from prometheus_client import generate_latest\nprint(generate_latest().decode())\n"
    text = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    done = tool("check", "metrics", text=text)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_compose_brings_prometheus_with_the_rules_and_grafana_with_the_dashboards(tool, tmp_path):
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    file = tmp_path / "prometheus.yml"
    file.write_text(compose["configs"]["prometheus"]["content"])
    done = tool("check", "config", "--syntax-only", file)
    assert done.returncode == 0, done.stdout + done.stderr
    (job,) = yaml.safe_load(file.read_text())["scrape_configs"]
    (targets,) = [each["targets"] for each in job["static_configs"]]
    built = sorted(name for name, service in compose["services"].items() if "build" in service)
    assert targets == [f"{name}:8080" for name in built]
    mounted = compose["services"]["prometheus"]["volumes"] + compose["services"]["grafana"]["volumes"]
    folders_of_ours = {each.split(":")[0] for each in mounted if each.startswith("./")}
    assert {ROOT / each for each in folders_of_ours} == {FILES / "alerts.yaml", FILES / "dashboards"}
    (provider,) = yaml.safe_load(compose["configs"]["grafana-dashboards"]["content"])["providers"]
    assert f"./helm/touchstone/files/dashboards:{provider['options']['path']}:ro" in mounted


def test_the_chart_gives_each_dashboard_to_grafanas_sidecar():
    values = {"dashboards": {"enabled": True, "labels": {"grafana_dashboard": "1"}}}
    with helm_python.Chart.load(str(ROOT / "helm" / "touchstone")) as chart:
        files = chart.render(values, name="touchstone", namespace="touchstone")
        silent = chart.render({}, name="touchstone", namespace="touchstone")
    (text,) = [text for path, text in files.items() if path.endswith("dashboards.yaml")]
    maps = [each for each in yaml.safe_load_all(text) if each]
    assert [each["metadata"]["labels"]["grafana_dashboard"] for each in maps] == ["1"] * len(BOARDS)
    given = {name: json.loads(board) for each in maps for name, board in each["data"].items()}
    assert given == {path.name: json.loads(path.read_text()) for path in BOARDS}
    assert not [text for path, text in silent.items() if path.endswith("dashboards.yaml") and text.strip()]


def test_alerts_fire_and_are_silent_as_they_should(tool):
    checked = tool("check", "rules", FILES / "alerts.yaml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tested = tool("test", "rules", ROOT / "tests" / "cluster" / "alerts.yaml")
    assert tested.returncode == 0, tested.stdout + tested.stderr

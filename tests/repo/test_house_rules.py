"""The rules of the house that no linter holds."""

import ast
import importlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import REGISTRY

from touchstone_runtime.settings import ServiceSettings

ROOT = Path(__file__).resolve().parents[2]
SERVICES = sorted(path.parent.name for path in (ROOT / "services").glob("*/pyproject.toml"))
PACKAGES = {service: service.replace("-", "_") for service in SERVICES}
# What clients of public package registries are told to talk to; put together here so that this file has none either.
REGISTRY_HOSTS = re.compile(
    r"(?:"
    + "|".join(
        [
            "pypi" + r"\.org",
            "pythonhosted" + r"\.org",
            "registry\\." + "npmjs",
            "repo1?\\." + "maven",
            "proxy\\." + "golang",
        ]
    )
    + ")"
)


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def modules():
    return [path for path in tracked("*.py") if "_pb2" not in path.name]


def test_modules_stay_under_500_lines():
    long = {
        str(path.relative_to(ROOT)): count for path in modules() if (count := len(path.read_text().splitlines())) > 500
    }
    assert not long


def test_no_file_names_a_package_registry():
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found.extend(f"{path.relative_to(ROOT)}: {hit}" for hit in REGISTRY_HOSTS.findall(text))
    assert not found


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("module", ["handlers", "rpc"])
def test_handlers_decode_call_one_use_case_and_encode(service, module):
    path = ROOT / "services" / service / "src" / PACKAGES[service] / f"{module}.py"
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef):
            statements = sum(isinstance(inner, ast.stmt) for inner in ast.walk(node)) - 1
            assert statements <= 12, f"{path.name}:{node.lineno} {node.name} has {statements} statements"


SERVERS = {**PACKAGES, "web": "touchstone_web"}


def settings_of(service):
    module = importlib.import_module(f"{SERVERS[service]}.settings")
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ServiceSettings) and value.__module__ == module.__name__
    ]
    assert len(classes) == 1, f"{service} has {len(classes)} settings classes"
    return classes[0]


@pytest.mark.parametrize("service", SERVERS)
def test_settings_document_every_field(service):
    undocumented = [name for name, field in settings_of(service).model_fields.items() if not field.description]
    assert not undocumented


@pytest.mark.parametrize("service", SERVERS)
def test_settings_show_no_secret(service):
    """Keys, passwords and tokens, and the address that has a password in it."""
    secret = re.compile(r"(^|_)(key|keys|password|git_token|web_token)$|^database_url$")
    fields = settings_of(service).model_fields
    assert not [name for name, field in fields.items() if secret.search(name) and field.repr]
    assert settings_of(service).model_config.get("hide_input_in_errors")


@pytest.mark.parametrize("service", SERVERS)
def test_settings_load_from_the_compose_file_and_the_chart(service, monkeypatch):
    import helm_python

    settings = settings_of(service)
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][service]["environment"]
    with helm_python.Chart.load(str(ROOT / "helm/touchstone")) as chart:
        rendered = chart.render({}, name="touchstone", namespace="touchstone")
    (text,) = [text for name, text in rendered.items() if name.endswith("settings.yaml")]
    for source in (compose, yaml.safe_load(text)["data"]):
        with monkeypatch.context() as patch:
            for name, value in source.items():
                if name.startswith("AWS_") and value is None:
                    # Handed on to the client of buckets where it is set.
                    continue
                known = settings.model_fields.keys() | ServiceSettings.model_fields.keys()
                assert name.removeprefix("TOUCHSTONE_").lower() in known, f"{name} is no setting of {service}"
                # As they are where nobody says anything else: a name without a value is handed on where it is set.
                if value is not None:
                    patch.setenv(name, re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value)))
            settings()


def test_metrics_follow_the_naming_rule():
    units = ("_seconds", "_bytes", "_total", "_ratio", "_info", "_usd", "_tokens", "_timestamp", "_cases")
    for package in PACKAGES.values():
        importlib.import_module(f"{package}.metrics")
    for metric in REGISTRY.collect():
        if not metric.name.startswith("touchstone_"):
            continue
        name = f"{metric.name}_total" if metric.type == "counter" else metric.name
        # What a gauge counts stands in its name; `_count` is the suffix of histograms, and promtool keeps it for them.
        assert name.endswith(units) or (metric.type == "gauge" and not name.endswith("_count")), f"{name} names no unit"
        assert metric.documentation
        labels = {label for sample in metric.samples for label in sample.labels}
        assert not {label for label in labels if label.endswith("_id")}, f"{name} is labelled by an id"


# How long something else is waited for: a service, a process, a thread.
WAITS = re.compile(
    r"(?:asyncio\.timeout\(|\.wait\(|\.join\(|\.result\(|wait_for\([^\n]*, ?|monotonic\(\) \+ "
    r"|(?<!process_time\(\) - )(?:started|began) < |(?:subprocess\.run|urlopen|communicate)\([^\n]*timeout=)"
    r"(\d+(?:\.\d+)?)\b"
)
LEAST_WAIT_S = 60


def test_no_test_is_in_a_hurry():
    """Where a machine is busy things are late, not wrong; what never comes is ended by the limit of the whole test."""
    found = []
    for path in tracked(
        "tests/*.py", "services/*/tests/*.py", "shared/*/tests/*.py", "clients/*/tests/*.py", "local/tests/*.py"
    ):
        # Benches and faults are timed; what attacks and their weak judges wait for is theirs.
        others = {"bench", "chaos", "isolation", "oracle", "weak", Path(__file__).name}
        if not others & set(path.relative_to(ROOT).parts):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found += [
                    f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
                    for wait in WAITS.findall(line)
                    if float(wait) < LEAST_WAIT_S
                ]
    assert not found
    for line in ("assert event.wait(5)", "async with asyncio.timeout(2.5):", "assert time.monotonic() - began < 3"):
        assert WAITS.search(line)
    assert not WAITS.search("assert time.process_time() - began < 2")


def test_nothing_is_moved_out_of_the_temporary_folder():
    """It may lie on another device than where things are kept, and then it cannot be renamed."""
    found = []
    for path in modules():
        text = path.read_text()
        if "tests" in path.relative_to(ROOT).parts or ".rename(" not in text:
            continue
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            elsewhere = [
                call
                for call in calls
                if ast.unparse(call.func).endswith(("TemporaryDirectory", "mkdtemp", "NamedTemporaryFile"))
                and not any(word.arg == "dir" for word in call.keywords)
            ]
            if elsewhere and any(isinstance(call.func, ast.Attribute) and call.func.attr == "rename" for call in calls):
                found.append(f"{path.relative_to(ROOT)}:{elsewhere[0].lineno}")
    assert not found

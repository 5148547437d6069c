"""The compose file is whole: what a service names is there, what its header offers works, Prometheus takes its part."""

import json
import re
import string
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from sqlalchemy import make_url

from sandbox_executor.settings import SandboxSettings
from touchstone_cli.settings import DEFAULT_PORTS, DEFAULT_WEB_PORT
from touchstone_local import promtool
from touchstone_local.settings import folders
from touchstone_runtime.settings import ServiceSettings

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = (ROOT / "docker-compose.yml").read_text()
# What a person may have beside the services: lines of the header, which begin with the profile that they need.
OFFERS = {
    match["profile"]: dict(re.findall(r"\b([A-Z][A-Z_]+)=(\S+)", match["rest"]))
    for match in re.finditer(
        r"COMPOSE_PROFILES=(?P<profile>\w+)(?P<rest>(?:.*\n)(?:# {10,}[A-Z(`].*\n)*)", WRITTEN.partition("\nname:")[0]
    )
}


def resolved(profile="", **variables):
    """The file as the engine would get it."""
    command = [str(Path(sys.executable).parent / "docker-compose"), "-f", str(ROOT / "docker-compose.yml")]
    command += ["--profile", profile] if profile else []
    done = subprocess.run(
        [*command, "config", "--format", "json"],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def addresses(service):
    """Hosts that a service's variables name with a port, but for the address that readers have."""
    given = [value for name, value in service["environment"].items() if value and name != "TOUCHSTONE_WEB_URL"]
    return {host for value in given for host in re.findall(r"(?:^|//|@)([a-z0-9.-]+):\d+", value)}


def test_what_a_service_leans_on_is_defined():
    whole = resolved("*")
    services = whole["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        for volume in service.get("volumes", ()):
            if volume["type"] == "volume":
                assert volume["source"] in whole["volumes"], name
            elif not volume["source"].startswith(str(ROOT / ".state")):
                assert Path(volume["source"]).exists(), volume["source"]
        assert {each["source"] for each in service.get("configs", ())} <= set(whole["configs"]), name
    used = {v["source"] for s in services.values() for v in s.get("volumes", ()) if v["type"] == "volume"}
    assert used == set(whole["volumes"])


def test_services_find_one_another_and_the_command_line_finds_them():
    plain = resolved()["services"]
    for name, service in plain.items():
        if "build" not in service:
            continue
        for host in addresses(service):
            assert host in plain or host == "weaviate", f"{name} names {host}"
    listening = {
        name: {port["published"]: port["target"] for port in each.get("ports", ())} for name, each in plain.items()
    }
    for name, port in DEFAULT_PORTS.items():
        if name != "web":
            assert listening[name][str(port)] == 7100
    assert listening["web"][str(DEFAULT_WEB_PORT)] == 8080
    # A broker tells its clients where it is: another place to those within than to those on this machine.
    told = dict(each.split("://") for each in plain["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"].split(","))
    bound = dict(each.split("://") for each in plain["kafka"]["environment"]["KAFKA_LISTENERS"].split(","))
    assert told["PLAINTEXT"] == plain["ingester"]["environment"]["TOUCHSTONE_KAFKA_BOOTSTRAP"]
    host, _, published = told["HOST"].partition(":")
    assert host == "127.0.0.1" and listening["kafka"][published] == int(bound["HOST"].rpartition(":")[2])
    assert all(port["host_ip"] == "127.0.0.1" for each in plain.values() for port in each.get("ports", ()))


@pytest.mark.parametrize("profile", ["model", "weaviate", "s3"])
def test_what_the_header_offers_is_wired(profile):
    variables = {name: "x" if value == "…" else value for name, value in OFFERS[profile].items()}
    services = resolved(profile, **variables)["services"]
    more = set(services) - set(resolved()["services"])
    assert more
    named = {host for each in services.values() if "build" in each for host in addresses(each)}
    assert more & named and named <= set(services) | {"weaviate"}
    for each in services.values():
        if "build" in each and profile == "s3" and "AWS_REGION" in each["environment"]:
            assert {name: each["environment"][name] for name in variables} == variables
    if profile == "s3":
        port = urlsplit(variables["AWS_ENDPOINT_URL"]).port
        assert f":{port}" in services["s3"]["command"]
        assert services["s3"]["environment"]["ROOT_ACCESS_KEY"] == variables["AWS_ACCESS_KEY_ID"]
        (made,) = [part for part in services["bucket"]["command"] if part.startswith("/data/")]
        assert variables["TOUCHSTONE_BLOB_URL"] == f"s3://{Path(made).name}"
    if profile == "model":
        command = services["model"]["command"]
        given = dict(zip(command[::2], command[1::2], strict=True))
        assert given["--port"] == str(urlsplit(variables["TOUCHSTONE_LLM_BASE_URL"]).port)
        assert given["--alias"] == variables["TOUCHSTONE_LLM_MODEL"]
        catalogue = (ROOT / "local/src/touchstone_local/models.toml").read_text()
        assert f'"{Path(given["--model"]).name}"' in catalogue


@pytest.mark.parametrize("shut", [False, True])
def test_prometheus_takes_its_part_with_open_doors_and_with_shut_ones(shut, tmp_path):
    program = promtool.find(folders().cache)
    assert program, "run make tools"
    for name in ("monitor.token", "ca.crt"):
        (tmp_path / name).write_text("x")
    variables = {
        "TOUCHSTONE_MONITOR_TOKEN": str(tmp_path / "monitor.token"),
        "TOUCHSTONE_SCRAPE_SCHEME": "https",
        "TOUCHSTONE_TLS_CA": str(tmp_path / "ca.crt"),
    }
    whole = resolved(**(variables if shut else {}))
    content = yaml.safe_load(whole["configs"]["prometheus"]["content"])
    mounted = {volume["target"]: volume["source"] for volume in whole["services"]["prometheus"]["volumes"]}
    content["rule_files"] = [mounted[file] for file in content["rule_files"]]
    (job,) = content["scrape_configs"]
    assert job["scheme"] == ("https" if shut else "http")
    asked = {target for static in job["static_configs"] for target in static["targets"]}
    assert asked == {f"{name}:8080" for name, each in whole["services"].items() if "build" in each}
    file = tmp_path / "prometheus.yml"
    file.write_text(yaml.safe_dump(content))
    done = subprocess.run([str(program), "check", "config", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_from_where_packages_are_prepared_is_handed_to_the_executor():
    fields = [name for name in SandboxSettings.model_fields if name.endswith(("_registry", "_repository"))]
    names = [f"TOUCHSTONE_{name.upper()}" for name in fields]
    assert len(names) == 2
    given = {name: f"https://packages.example.org/{number}" for number, name in enumerate(names)}
    executor = resolved(**given)["services"]["sandbox-executor"]["environment"]
    assert {name: executor.get(name) for name in names} == given


def test_what_foreign_code_may_have_is_told_by_variables_of_the_same_names():
    """docs/threat-model.md says so of every rule: one that is set and does not hold is worse than none."""
    prefixes = ("sandbox_packages_", "sandbox_egress")
    fields = {name: each for name, each in SandboxSettings.model_fields.items() if name.startswith(prefixes)}
    given = {f"TOUCHSTONE_{name.upper()}": f"{number}" for number, name in enumerate(fields, 1)}
    assert len(given) == 9
    executor = resolved(**given)["services"]["sandbox-executor"]["environment"]
    assert {name: executor.get(name) for name in given} == given
    silent = resolved()["services"]["sandbox-executor"]["environment"]
    assert {silent[name] for name in given} == {""}, "the service's own default stands"


def test_what_runs_on_is_started_again_after_the_machine_was():
    """Services that come back wait for their stores without end, and nothing else starts these."""
    once = {"blobs", "bucket"}
    for name, service in resolved("*")["services"].items():
        assert service.get("restart") == (None if name in once else "unless-stopped"), name


def test_the_header_names_the_characters_that_a_role_s_password_cannot_have():
    said = re.search(r"passwords may hold neither (.) nor (.)", WRITTEN.partition("\nname:")[0])
    given = yaml.safe_load(WRITTEN)["services"]["ingester"]["environment"]["TOUCHSTONE_DATABASE_URL"]
    broken = set()
    for character in string.printable.strip():
        password = f"a{character}41"
        url = make_url(given.replace("${TOUCHSTONE_INGESTER_DB_PASSWORD:-ingester}", password))
        if (url.password, url.host, url.database) != (password, "postgres", "touchstone"):
            broken.add(character)
    assert broken == set(said.groups())


def test_images_of_others_are_pinned_by_digest_alike_in_compose_and_in_the_demonstration():
    composed = {each["image"] for each in resolved("*")["services"].values() if "build" not in each}
    demo = yaml.safe_load((ROOT / "helm/touchstone/values.yaml").read_text())["demo"]
    shown = {each["image"] for each in demo.values() if isinstance(each, dict)}
    # Nobody was found who names a digest of these.
    loose = {"semitechnologies/weaviate:1.38.0", "ghcr.io/ggml-org/llama.cpp:server"}
    assert all(re.fullmatch(r"\S+:\S+@sha256:[0-9a-f]{64}", image) for image in (composed | shown) - loose)
    assert shown <= composed


# What the image lays down itself, or what only a cluster has.
OF_THE_IMAGE = {
    "TOUCHSTONE_GRPC_LISTEN",
    "TOUCHSTONE_HTTP_LISTEN",
    "TOUCHSTONE_STATE_DIR",
    "TOUCHSTONE_MODELS_DIR",
    "TOUCHSTONE_CONVERTED_MODELS_DIR",
    "TOUCHSTONE_MODELS_FILE",
    "TOUCHSTONE_TOOLCHAINS_DIR",
    "TOUCHSTONE_NODE",
    "TOUCHSTONE_JAVA_HOME",
    "TOUCHSTONE_GO_ROOT",
    "TOUCHSTONE_PHP",
    "TOUCHSTONE_ECJ_JAR",
    "TOUCHSTONE_SANDBOX_RUNSC",
}
OF_A_CLUSTER = ("TOUCHSTONE_SANDBOX_RUNNERS_", "TOUCHSTONE_SANDBOX_POD_UID", "TOUCHSTONE_SANDBOX_REPLICA_ADDRESS")
# The executor runs foreign code, and the pages ask the others.
WITHOUT_MODEL = {"sandbox-executor", "web"}


def test_every_setting_of_a_service_reaches_it(load_module):
    reference = load_module("helm/values_reference.py")
    shared = {f"TOUCHSTONE_{name.upper()}" for name in ServiceSettings.model_fields}
    services = {name: each for name, each in resolved()["services"].items() if "build" in each}
    known = {name: {each.name for each in reference.settings_of(name)} for name in services}
    for name, service in services.items():
        wanted = {each for each in known[name] - OF_THE_IMAGE if not each.startswith(OF_A_CLUSTER)}
        if name in WITHOUT_MODEL:
            wanted = {each for each in wanted if not each.startswith("TOUCHSTONE_LLM_")}
            assert not [each for each in service["environment"] if "LLM" in each], name
        if name == "web":
            # It speaks to the services alone.
            apart = ("TOUCHSTONE_KAFKA_", "TOUCHSTONE_DATABASE_URL", "TOUCHSTONE_BLOB_URL", "TOUCHSTONE_WEB_")
            wanted = {each for each in wanted if not (each in shared and each.startswith(apart))}
        assert wanted <= set(service["environment"]), (name, wanted - set(service["environment"]))


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("TOUCHSTONE_LLM_BUDGET_USD", "evaluator"),
        ("TOUCHSTONE_LLM_BUDGET_TOKENS", "annotator"),
        ("TOUCHSTONE_ANNOTATOR_BUDGET_USD", "annotator"),
        ("TOUCHSTONE_TASK_MODEL", "pbt-generator"),
    ],
)
def test_a_cap_that_is_set_stands_and_one_that_is_not_is_no_variable(name, service):
    assert resolved(**{name: "5"})["services"][service]["environment"][name] == "5"
    assert resolved()["services"][service]["environment"][name] is None

"""What the chart takes and what it makes of it: settings, the broker's doors, routes from outside."""

import json
import re
from pathlib import Path

import helm_python
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"


@pytest.fixture(scope="module")
def reference(load_module):
    return load_module("helm/values_reference.py")


@pytest.fixture(scope="module")
def chart():
    with helm_python.Chart.load(str(CHART)) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def render(chart):
    """Renders values that the schema takes; gives the objects by kind and name."""

    def rendered(values):
        chart.validate_schema(chart.merge_values(values))
        files = chart.render(values, name="touchstone", namespace="touchstone")
        objects = {}
        for path, text in files.items():
            for each in yaml.safe_load_all(text) if path.endswith(".yaml") else ():
                if each:
                    objects.setdefault(each["kind"], {})[each["metadata"]["name"]] = each
        return objects

    return rendered


def test_the_schema_and_the_readme_tell_of_the_settings_that_there_are(reference):
    written = json.loads((CHART / "values.schema.json").read_text())
    assert reference.schema(json.loads(json.dumps(written))) == written, "run make gen"
    given = (CHART / "values.yaml").read_text()
    assert (CHART / "README.md").read_text() == reference.readme(given, written), "run make gen"


def test_every_setting_of_a_service_is_taken_and_no_other(chart, reference):
    def taken(values):
        chart.validate_schema(chart.merge_values(values))

    every = {service: reference.settings_of(service) for service in reference.SERVICES}
    for service, settings in every.items():
        own = {one.name: one.default for one in settings if one.name not in reference.SECRETS}
        taken({"settings": own, "services": {service: {"settings": own}}})
    foreign = {one.name for one in every["embedder"]} - {one.name for one in every["ingester"]}
    for wrong in (
        {"settings": {"TOUCHSTONE_LOG_LEVLE": "info"}},
        {"settings": {"TOUCHSTONE_RETRY_ATTEMPTS": "many"}},
        {"services": {"ingester": {"settings": {min(foreign): "1"}}}},
        *({"settings": {secret: "text"}} for secret in reference.SECRETS),
    ):
        with pytest.raises(helm_python.HelmError):
            taken(wrong)


def test_fields_that_are_no_text_to_show_are_no_values(reference):
    for service in reference.SERVICES:
        for one in reference.settings_of(service):
            # Files and folders may be named; what is a secret itself comes from a secret.
            if not one.field.repr and one.field.annotation in (str, dict[str, str]):
                assert one.name in reference.SECRETS


KAFKA = {
    "bootstrap": "kafka:9093",
    "sasl": {"user": "touchstone", "mechanism": "SCRAM-SHA-256", "secret": "user"},
    "tls": {"enabled": True, "ca": "authority", "client": "user"},
}


@pytest.mark.parametrize(
    ("kafka", "protocol", "files"),
    [
        ({}, "PLAINTEXT", set()),
        ({"sasl": KAFKA["sasl"]}, "SASL_PLAINTEXT", {"password"}),
        ({"tls": {"enabled": True}}, "SSL", set()),
        ({"tls": KAFKA["tls"]}, "SSL", {"ca.crt", "client.crt", "client.key"}),
        (KAFKA, "SASL_SSL", {"password", "ca.crt", "client.crt", "client.key"}),
    ],
)
def test_who_speaks_to_the_broker_has_its_files_from_secrets(render, kafka, protocol, files):
    named = {
        "password": "TOUCHSTONE_KAFKA_PASSWORD_FILE", "ca.crt": "TOUCHSTONE_KAFKA_CA",
        "client.crt": "TOUCHSTONE_KAFKA_CERTIFICATE", "client.key": "TOUCHSTONE_KAFKA_KEY",
    }  # fmt: skip
    objects = render({"kafka": kafka})
    settings = objects["ConfigMap"]["touchstone-settings"]["data"]
    assert settings["TOUCHSTONE_KAFKA_SECURITY_PROTOCOL"] == protocol
    assert settings.get("TOUCHSTONE_KAFKA_USER") == (kafka["sasl"]["user"] if "sasl" in kafka else None)
    for name, deployment in objects["Deployment"].items():
        pod = deployment["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        given = {one["name"]: one.get("value") for one in container["env"]}
        expected = set() if name == "touchstone-web" else files
        assert {given[each] for each in named.values() if each in given} == {
            f"/etc/touchstone/kafka/{file}" for file in expected
        }
        mounted = [mount for mount in container["volumeMounts"] if mount["name"] == "kafka"]
        volumes = [volume["projected"] for volume in pod["volumes"] if volume["name"] == "kafka"]
        assert len(mounted) == len(volumes) == bool(expected)
        if expected:
            assert mounted[0]["mountPath"] == "/etc/touchstone/kafka" and mounted[0]["readOnly"]
            items = [item["path"] for source in volumes[0]["sources"] for item in source["secret"]["items"]]
            assert sorted(items) == sorted(expected)
    # The demonstration brings a broker of its own, which asks for nothing.
    demo = render({"kafka": kafka, "demo": {"enabled": True}})["ConfigMap"]["touchstone-settings"]["data"]
    assert "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL" not in demo


def test_a_user_without_a_secret_of_the_password_is_refused_by_name(chart):
    with pytest.raises(helm_python.HelmError, match=r"kafka\.sasl\.secret"):
        chart.render({"kafka": {"sasl": {"user": "touchstone"}}}, name="touchstone", namespace="touchstone")


def test_what_scales_by_lag_asks_the_broker_as_the_services_do(render):
    scaled = {"services": {"embedder": {"autoscaling": {"enabled": True}}}}
    plain = render(scaled)
    assert "TriggerAuthentication" not in plain
    assert "authenticationRef" not in plain["ScaledObject"]["touchstone-embedder"]["spec"]["triggers"][0]
    objects = render({"kafka": KAFKA, **scaled})
    (trigger,) = objects["ScaledObject"]["touchstone-embedder"]["spec"]["triggers"]
    shown = objects["TriggerAuthentication"][trigger["authenticationRef"]["name"]]["spec"]["secretTargetRef"]
    assert {each["parameter"]: each["key"] for each in shown} == {
        "tls": "tls", "sasl": "sasl", "username": "username", "password": "password",
        "ca": "ca.crt", "cert": "user.crt", "key": "user.key",
    }  # fmt: skip
    held = objects["Secret"]["touchstone-kafka"]["stringData"]
    assert held == {"tls": "enable", "sasl": "scram_sha256", "username": "touchstone"}
    assert "Secret" not in render({"kafka": KAFKA})


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("kafka:9092", "kafka.touchstone.svc:9092"),
        ("one:9092, two.other:9093,10.0.0.1:9092", "one.touchstone.svc:9092,two.other:9093,10.0.0.1:9092"),
    ],
)
def test_what_scales_lives_elsewhere_and_is_told_whole_names(render, given, asked):
    scaled = {"services": {"embedder": {"autoscaling": {"enabled": True}}}}
    (trigger,) = render({"kafka": {"bootstrap": given}, **scaled})["ScaledObject"]["touchstone-embedder"]["spec"][
        "triggers"
    ]
    assert trigger["metadata"]["bootstrapServers"] == asked
    # The demonstration's broker names itself so, for its clients go on with the name that it tells.
    demo = render({"demo": {"enabled": True}, **scaled})
    (trigger,) = demo["ScaledObject"]["touchstone-embedder"]["spec"]["triggers"]
    advertised = f"advertised.listeners=PLAINTEXT://{trigger['metadata']['bootstrapServers']},"
    assert advertised in demo["ConfigMap"]["touchstone-demo"]["data"]["server.properties"]


BEHAVIOR = {"scaleDown": {"stabilizationWindowSeconds": 30}}
BY_CALLS = {"services": {"retriever": {"autoscaling": {"enabled": True, "inFlight": 0.5, "behavior": BEHAVIOR}}}}


def test_services_without_topics_follow_calls_by_what_is_there(render):
    plain = render(BY_CALLS)
    assert "ScaledObject" not in plain
    spec = plain["HorizontalPodAutoscaler"]["touchstone-retriever"]["spec"]
    assert spec["behavior"] == BEHAVIOR and spec["metrics"][0]["pods"]["target"]["averageValue"] == "0.5"
    named = {"address": "http://prometheus.monitoring:9090", "authentication": "shown", "authModes": "bearer"}
    objects = render({"scaling": {"prometheus": named}, **BY_CALLS})
    assert "HorizontalPodAutoscaler" not in objects
    spec = objects["ScaledObject"]["touchstone-retriever"]["spec"]
    assert spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"] == BEHAVIOR
    (trigger,) = spec["triggers"]
    assert trigger["authenticationRef"] == {"name": "shown"} and trigger["metadata"]["authModes"] == "bearer"
    assert trigger["metadata"]["serverAddress"] == named["address"] and trigger["metadata"]["threshold"] == "0.5"


def test_the_demonstrations_prometheus_gives_calls_the_labels_that_are_asked_for(render):
    address = {"address": "http://touchstone-demo-prometheus.touchstone.svc:9090"}
    objects = render({"demo": {"enabled": True}, "scaling": {"prometheus": address}, **BY_CALLS})
    (trigger,) = objects["ScaledObject"]["touchstone-retriever"]["spec"]["triggers"]
    host, _, port = trigger["metadata"]["serverAddress"].removeprefix("http://").partition(":")
    name, _, domain = host.partition(".")
    assert domain == "touchstone.svc"
    assert int(port) in [each["port"] for each in objects["Service"][name]["spec"]["ports"]]
    asked = dict(re.findall(r'(\w+)="([^"]*)"', trigger["metadata"]["query"]))
    told = yaml.safe_load(objects["ConfigMap"]["touchstone-demo-prometheus"]["data"]["prometheus.yml"])
    (scraped,) = told["scrape_configs"]
    given = {}
    for rule in scraped["relabel_configs"]:
        if rule.get("source_labels") == ["__meta_dns_name"]:
            if re.fullmatch(rule["regex"], "touchstone-demo-every-retriever"):
                given[rule["target_label"]] = rule["replacement"]
        elif "source_labels" not in rule:
            given[rule["target_label"]] = rule["replacement"]
    assert asked == {"namespace": "touchstone", "container": "retriever"} and asked.items() <= given.items()


def test_a_service_that_is_called_does_not_rest(chart):
    resting = {"services": {"retriever": {"autoscaling": {"enabled": True, "minReplicas": 0}}}}
    with pytest.raises(helm_python.HelmError, match=r"services\.retriever\.autoscaling\.minReplicas"):
        chart.render(resting, name="touchstone", namespace="touchstone")


DOORS = {"tokens": "tokens"}
ROUTES = {"domain": "touchstone.example.org", "pages": "pages.example.org"}
BY_INGRESS = ROUTES | {"kind": "ingress", "ingress": {"className": "nginx", "tls": "wild", "annotations": {"a": "b"}}}
BY_GATEWAY = ROUTES | {"kind": "gateway", "gateway": {"name": "outer", "namespace": "edge", "authority": "ca"}}
CALLED = {"ingester", "embedder", "retriever", "annotator", "pbt-generator", "evaluator"}


def places(objects, kind):
    """Port of the chart's services by host, as objects of one kind lead there."""
    found = {}
    for each in objects.get(kind, {}).values():
        if kind == "Ingress":
            (rule,) = each["spec"]["rules"]
            (path,) = rule["http"]["paths"]
            assert each["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "wild"}]
            service = path["backend"]["service"]
            found[rule["host"]] = (service["name"], service["port"]["number"])
        else:
            (host,) = each["spec"]["hostnames"]
            (rule,) = each["spec"]["rules"]
            (backend,) = rule["backendRefs"]
            assert each["spec"]["parentRefs"] == [{"name": "outer", "namespace": "edge"}]
            found[host] = (backend["name"], backend["port"])
    for name, port in found.values():
        assert port in [each["port"] for each in objects["Service"][name]["spec"]["ports"]]
    return found


@pytest.mark.parametrize("tls", ["", "tls"])
def test_every_service_but_the_executor_is_reached_from_outside(render, tls):
    grpc = {f"{name}.touchstone.example.org": (f"touchstone-{name}", 7100) for name in CALLED}
    pages = {"pages.example.org": ("touchstone-web", 8080)}
    by_ingress = render({"doors": DOORS | {"tls": tls}, "routes": BY_INGRESS})
    assert places(by_ingress, "Ingress") == grpc | pages
    spoken = {
        name: each["metadata"]["annotations"]["nginx.ingress.kubernetes.io/backend-protocol"]
        for name, each in by_ingress["Ingress"].items()
    }
    assert spoken.pop("touchstone-web") == ("HTTPS" if tls else "HTTP")
    assert set(spoken.values()) == {"GRPCS" if tls else "GRPC"}
    by_gateway = render({"doors": DOORS | {"tls": tls}, "routes": BY_GATEWAY})
    assert places(by_gateway, "GRPCRoute") == grpc and places(by_gateway, "HTTPRoute") == pages
    # Where pods speak TLS the gateway does, too, and knows by what name and authority.
    policies = by_gateway.get("BackendTLSPolicy", {})
    assert {name: each["spec"]["validation"]["hostname"] for name, each in policies.items()} == (
        {name: name for name, _ in (*grpc.values(), *pages.values())} if tls else {}
    )
    for objects in (by_ingress, by_gateway):
        assert objects["ConfigMap"]["touchstone-settings"]["data"]["TOUCHSTONE_WEB_URL"] == "https://pages.example.org"
        protocols = {
            port["name"]: port["appProtocol"] for each in objects["Service"].values() for port in each["spec"]["ports"]
        }
        assert protocols == {
            "grpc": "https" if tls else "kubernetes.io/h2c",
            "http-metrics": "https" if tls else "http",
        }
    plain = render({})
    assert not plain.keys() & {"Ingress", "GRPCRoute", "HTTPRoute", "BackendTLSPolicy"}


def test_nothing_is_reached_from_outside_without_tokens(chart):
    for routes in (BY_INGRESS, BY_GATEWAY):
        with pytest.raises(helm_python.HelmError, match=r"doors\.tokens"):
            chart.render({"routes": routes}, name="touchstone", namespace="touchstone")

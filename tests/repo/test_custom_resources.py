"""What the chart and its options make of other projects' custom resources is what their own definitions take."""

import copy
from pathlib import Path

import helm_python
import jsonschema
import pytest
import yaml

from touchstone_local import resources
from touchstone_local.settings import folders

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"
OPTIONS = ROOT / "k8s" / "options"
SERVICES = sorted(path.parent.name for path in (ROOT / "services").glob("*/pyproject.toml"))
VALUES = [
    {
        "kafka": {
            "sasl": {"user": "u", "secret": "s"},
            "tls": {"enabled": True, "ca": "c", "client": "s"},
        },
        "services": {
            each: {"autoscaling": {"enabled": True, "behavior": {"scaleDown": {"stabilizationWindowSeconds": 30}}}}
            for each in SERVICES
            if each != "annotator"
        },
        "scaling": {"prometheus": {"address": "https://prometheus:9090", "authentication": "a", "authModes": "bearer"}},
        "doors": {"tokens": "t", "tls": "c"},
        "routes": {
            "kind": "gateway",
            "domain": "example.org",
            "pages": "example.org",
            "gateway": {"name": "g", "namespace": "n", "sectionName": "s", "authority": "a"},
        },
    },
]


def strict(schema):
    """A definition's schema as the API server reads it, but refusing what it would drop without a word."""
    schema = copy.deepcopy(schema)
    if schema.pop("x-kubernetes-int-or-string", False):
        schema["type"] = ["integer", "string"]
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    for name, inner in schema.get("properties", {}).items():
        schema["properties"][name] = strict(inner)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            schema[name] = strict(schema[name])
    return schema


@pytest.fixture(scope="module")
def definitions():
    """Schemas of custom resources by kind and version."""
    found = resources.find(folders().cache)
    if found is None:
        raise pytest.UsageError("definitions of custom resources are not there: run `make tools`")
    schemas = {}
    for file in found.glob("*.yaml"):
        for each in yaml.safe_load_all(file.read_text()):
            if each and each["kind"] == "CustomResourceDefinition":
                spec = each["spec"]
                for version in spec["versions"]:
                    schema = strict(version["schema"]["openAPIV3Schema"])
                    schema["properties"]["metadata"] = {"type": "object"}
                    schemas[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    return schemas


def check(definitions, objects):
    """Kinds of the objects that a definition was found for; all of these are right."""
    checked = set()
    for each in objects:
        schema = definitions.get((each["apiVersion"], each["kind"]))
        if schema is not None:
            jsonschema.validate(each, schema, cls=jsonschema.Draft202012Validator)
            checked.add(each["kind"])
    return checked


@pytest.mark.parametrize("values", VALUES)
def test_the_chart_s_resources_are_what_their_projects_define(definitions, values):
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values))
        files = chart.render(values, name="touchstone", namespace="touchstone")
    objects = [
        each for path, text in files.items() if path.endswith(".yaml") for each in yaml.safe_load_all(text) if each
    ]
    expected = {"ScaledObject", "TriggerAuthentication", "GRPCRoute", "HTTPRoute", "BackendTLSPolicy"}
    assert check(definitions, objects) == expected
    # The check is one: a field that there is not, and one of another kind, are found.
    (route,) = [each for each in objects if each["kind"] == "HTTPRoute"]
    for wrong in ({"hostname": "x"}, {"hostnames": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            check(definitions, [route | {"spec": route["spec"] | wrong}])


def test_the_database_of_cloudnative_pg_has_a_role_and_a_schema_for_each_service(definitions):
    (cluster,) = yaml.safe_load_all((OPTIONS / "cloudnative-pg.yaml").read_text())
    assert check(definitions, [cluster]) == {"Cluster"}
    roles = {role["name"]: role["passwordSecret"]["name"] for role in cluster["spec"]["managed"]["roles"]}
    assert roles == {f"touchstone_{name.replace('-', '_')}": f"touchstone-role-{name}" for name in SERVICES}
    statements = cluster["spec"]["bootstrap"]["initdb"]["postInitApplicationSQL"]
    for role in roles:
        assert f"CREATE ROLE {role} LOGIN" in statements
        assert f"CREATE SCHEMA {role.removeprefix('touchstone_')} AUTHORIZATION {role}" in statements


def test_the_chart_finds_what_the_options_make():
    values = yaml.safe_load((OPTIONS / "values.yaml").read_text())
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values))
        chart.render(values, name="touchstone", namespace="touchstone")
    broker = {each["kind"]: each for each in yaml.safe_load_all((OPTIONS / "strimzi.yaml").read_text())}
    (listener,) = broker["Kafka"]["spec"]["kafka"]["listeners"]
    name = broker["Kafka"]["metadata"]["name"]
    # The names that Strimzi gives: to the service of a cluster, to its authority and to a user's password.
    assert values["kafka"]["bootstrap"] == f"{name}-kafka-bootstrap:{listener['port']}"
    assert values["kafka"]["tls"] == {"enabled": listener["tls"], "ca": f"{name}-cluster-ca-cert"}
    user = broker["KafkaUser"]["metadata"]
    assert values["kafka"]["sasl"]["user"] == values["kafka"]["sasl"]["secret"] == user["name"]
    assert values["kafka"]["sasl"]["mechanism"].lower() == listener["authentication"]["type"]
    assert user["labels"]["strimzi.io/cluster"] == name
    weaviate = yaml.safe_load((OPTIONS / "weaviate.yaml").read_text())
    (key,) = values["services"]["retriever"]["extraEnv"]
    reference = key["valueFrom"]["secretKeyRef"]
    assert weaviate["envSecrets"] == {reference["key"]: reference["name"]}


@pytest.mark.parametrize("file", sorted(path.name for path in OPTIONS.glob("*.yaml")))
def test_every_option_is_in_the_handbook(file):
    assert f"k8s/options/{file}" in (ROOT / "k8s" / "README.md").read_text()

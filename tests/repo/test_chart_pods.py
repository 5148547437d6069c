"""What pods of the chart are given to stand on: volumes, settings, memory, time to end."""

import re
from pathlib import Path

import helm_python
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())


@pytest.fixture(scope="module")
def chart():
    with helm_python.Chart.load(str(CHART)) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def render(chart):
    """Renders values that the schema takes; gives the objects by kind and name."""

    def rendered(values, name="touchstone"):
        chart.validate_schema(chart.merge_values(values))
        files = chart.render(values, name=name, namespace="touchstone")
        objects = {}
        for path, text in files.items():
            for each in yaml.safe_load_all(text) if path.endswith(".yaml") else ():
                if each:
                    objects.setdefault(each["kind"], {})[each["metadata"]["name"]] = each
        return objects

    return rendered


@pytest.fixture(scope="module")
def refused(chart):
    """Whether the chart refuses values, and names what a pattern says."""

    def holds(values, pattern):
        with pytest.raises(helm_python.HelmError, match=pattern):
            chart.render(values, name="touchstone", namespace="touchstone")

    return holds


def pods(objects):
    """The specification of every service's pod by the service."""
    return {
        name.removeprefix("touchstone-"): each["spec"]["template"]["spec"]
        for name, each in objects["Deployment"].items()
    }


def claims(objects):
    return {
        volume["persistentVolumeClaim"]["claimName"]
        for pod in pods(objects).values()
        for volume in pod["volumes"]
        if "persistentVolumeClaim" in volume
    }


def test_pods_wait_for_no_claim_but_where_blobs_are_a_folder(render):
    assert claims(render({"blobs": {"url": "s3://touchstone/blobs", "secret": "bucket"}})) == set()
    assert claims(render({"blobs": {"url": "file:///blobs/of/ours", "claim": "ours"}})) == {"ours"}
    assert claims(render({"blobs": {"claim": ""}})) == set()
    guide = (ROOT / "docs/guides/run-on-a-cluster.md").read_text()
    (mine,) = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    assert claims(render(yaml.safe_load(mine))) == set()


def test_the_chart_takes_the_stores_that_services_speak_with(chart):
    for url in ("s3://bucket/prefix", "file:///blobs"):
        chart.validate_schema(chart.merge_values({"blobs": {"url": url}}))
    for url in ("gs://bucket", "abfs://bucket", "az://bucket"):
        with pytest.raises(helm_python.HelmError):
            chart.validate_schema(chart.merge_values({"blobs": {"url": url}}))


def test_whoever_installs_by_the_handbook_makes_the_claim_that_pods_wait_for(render):
    (made,) = yaml.safe_load_all((ROOT / "k8s/options/blobs.yaml").read_text())
    assert made["kind"] == "PersistentVolumeClaim" and made["spec"]["accessModes"] == ["ReadWriteMany"]
    options = yaml.safe_load((ROOT / "k8s/options/values.yaml").read_text())
    for values in ({}, options):
        assert claims(render(values)) == {made["metadata"]["name"]}
    handbook = (ROOT / "k8s/README.md").read_text()
    for install in re.findall(r"```\n(.*?)```", handbook, re.DOTALL):
        if "helm install touchstone" in install:
            assert "kubectl apply -f k8s/options/blobs.yaml" in install


def test_a_claim_is_where_the_folder_of_blobs_is(refused):
    refused({"blobs": {"url": "file:///elsewhere"}}, r"blobs\.url.*file:///blobs")


OWN = {
    "extraEnv": [
        {"name": "PGSSLROOTCERT", "value": "/authority/ca.crt"},
        {"name": "TOUCHSTONE_DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "own", "key": "url"}}},
    ],
    "extraVolumes": [
        {"name": "authority", "secret": {"secretName": "authority"}},
        # On one node alone, perhaps: a job on another would wait for it, and a schema needs none.
        {"name": "models", "persistentVolumeClaim": {"claimName": "models"}},
    ],
    "extraVolumeMounts": [
        {"name": "authority", "mountPath": "/authority", "readOnly": True},
        {"name": "models", "mountPath": "/models"},
    ],
    "affinity": {"nodeAffinity": {}},
    "priorityClassName": "high",
    "podLabels": {"team": "search"},
    "podAnnotations": {"example.org/mesh": "off"},
}


def test_jobs_of_a_service_reach_what_its_pods_reach(render):
    objects = render({"services": dict.fromkeys(SERVICES, OWN)})
    jobs = {name: each["spec"]["template"] for name, each in objects["Job"].items()}
    (topics,) = objects["CronJob"].values()
    jobs["topics"] = topics["spec"]["jobTemplate"]["spec"]["template"]
    assert len(jobs) == len(SERVICES) + 1
    for name, template in jobs.items():
        pod, (container,) = template["spec"], template["spec"]["containers"]
        given = [each for each in container["env"] if each["name"] in {one["name"] for one in OWN["extraEnv"]}]
        assert sorted(given, key=lambda each: each["name"]) == OWN["extraEnv"], name
        assert pod["volumes"] == OWN["extraVolumes"][:1], name
        assert container["volumeMounts"] == OWN["extraVolumeMounts"][:1], name
        assert (pod["affinity"], pod["priorityClassName"]) == (OWN["affinity"], "high"), name
        assert template["metadata"]["labels"]["team"] == "search", name
        assert template["metadata"]["annotations"] == OWN["podAnnotations"], name
        # Policies choose pods of the platform by this one, and services choose none of these by their name.
        assert template["metadata"]["labels"]["app.kubernetes.io/part-of"] == "touchstone", name
        assert template["metadata"]["labels"].get("app.kubernetes.io/name") not in SERVICES, name


def seen(objects, service):
    """What a service's process finds in its environment: texts by name."""
    (container,) = pods(objects)[service]["containers"]
    (source,) = container["envFrom"]
    everywhere = objects["ConfigMap"][source["configMapRef"]["name"]]["data"]
    return everywhere | {each["name"]: each.get("value") for each in container["env"]}


def test_what_every_service_is_told_no_empty_text_of_one_hides(render):
    """A container's own empty variable counts more than the settings of all, and is no setting to the service."""
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    empty = {
        name: key
        for name, each in defaults["services"].items()
        for key, value in (each.get("settings") or {}).items()
        if value == ""
    }
    assert not empty
    given = {
        "TOUCHSTONE_SANDBOX_PACKAGES_DENIED": '["evil"]',
        "TOUCHSTONE_SANDBOX_PACKAGES_NATIVE": "false",
        "TOUCHSTONE_SANDBOX_EGRESS_PRIVATE": '["store:443"]',
    }
    for service in SERVICES:
        assert given.items() <= seen(render({"settings": given}), service).items(), service
    # Who says so beneath one service has its default there.
    own = {"settings": given, "services": {"sandbox-executor": {"settings": dict.fromkeys(given, "")}}}
    assert dict.fromkeys(given, "").items() <= seen(render(own), "sandbox-executor").items()


@pytest.mark.parametrize(
    "values",
    [
        {"settings": {"TOUCHSTONE_SEARCH_MEMORY_MB": "8192"}},
        {"services": {"retriever": {"settings": {"TOUCHSTONE_SEARCH_MEMORY_MB": "8192"}}}},
        {"services": {"retriever": {"extraEnv": [{"name": "TOUCHSTONE_SEARCH_MEMORY_MB", "value": "8192"}]}}},
    ],
)
def test_the_memory_of_a_retriever_follows_what_it_is_told_to_hold_whichever_way_it_is_told(render, values):
    found = {name: pod["containers"][0]["resources"] for name, pod in pods(render(values)).items()}
    assert found["retriever"]["limits"]["memory"] == "11264Mi" and found["retriever"]["requests"]["memory"] == "8704Mi"
    plain = {name: pod["containers"][0]["resources"] for name, pod in pods(render({})).items()}
    assert {name for name in found if found[name] != plain[name]} == {"retriever"}


def test_a_pod_has_time_to_drain_and_to_end_what_it_has_in_hand(render, refused):
    def graces(values):
        return {name: pod["terminationGracePeriodSeconds"] for name, pod in pods(render(values)).items()}

    stop = {"TOUCHSTONE_STOP_TIMEOUT_S": "120"}
    assert set(graces({}).values()) == {60}
    assert set(graces({"drainSeconds": 300}).values()) == {355}
    assert set(graces({"settings": stop}).values()) == {160}
    one = graces({"drainSeconds": 90, "services": {"annotator": {"settings": {"TOUCHSTONE_STOP_TIMEOUT_S": "30.5"}}}})
    assert one.pop("annotator") == 156 and set(one.values()) == {145}
    assert graces({"services": {"web": {"terminationGracePeriodSeconds": 26}}})["web"] == 26
    short = {"services": {"embedder": {"terminationGracePeriodSeconds": 100}}}
    for values in ({"drainSeconds": 90}, {"settings": stop}):
        refused(values | short, r"services\.embedder\.terminationGracePeriodSeconds.*at least")


def test_pods_ask_for_an_account_that_there_is(render):
    def asked(values):
        objects = render(values)
        made = {"default", *objects.get("ServiceAccount", {})}
        jobs = [each["spec"]["template"]["spec"] for each in objects["Job"].values()]
        (name,) = {pod["serviceAccountName"] for pod in [*pods(objects).values(), *jobs]}
        return name, name in made

    assert asked({}) == ("touchstone", True)
    assert asked({"serviceAccount": {"create": False}}) == ("default", True)
    assert asked({"serviceAccount": {"create": False, "name": "theirs"}}) == ("theirs", False)


def test_runners_share_no_namespace_with_the_platform(refused, render):
    """Their policy shuts every pod of the namespace off, and the executor may end every pod there."""
    refused({"executor": {"backend": "pods"}, "runner": {"namespace": "touchstone"}}, r"runner\.namespace.*own")
    render({"executor": {"backend": "pods"}, "runner": {"namespace": "theirs", "createNamespace": False}})


@pytest.mark.parametrize("service", ["ingester", "evaluator"])
def test_what_looks_for_work_by_itself_does_not_rest(refused, render, service):
    """The ingester asks for releases, the evaluator for batches and parked answers: no lag wakes either."""
    resting = {"autoscaling": {"enabled": True, "minReplicas": 0}}
    refused({"services": {service: resting}}, rf"services\.{service}\.autoscaling\.minReplicas: at least 1")
    assert render({"services": {"pbt-generator": resting}})["ScaledObject"]["touchstone-pbt-generator"]


def test_who_reads_a_service_is_told_whether_it_may_rest(render):
    """Without a pod it is gone, but where it rests: an alert hangs on the difference."""
    resting = {"autoscaling": {"enabled": True, "minReplicas": 0}}
    values = {"demo": {"enabled": True}, "podMonitor": {"enabled": True}, "services": {"pbt-generator": resting}}
    objects = render(values)
    label, deployments = "touchstone.dev/rests", objects["Deployment"]
    told = {name: each["spec"]["template"]["metadata"]["labels"].get(label) for name, each in deployments.items()}
    assert {name: value for name, value in told.items() if value} == {"touchstone-pbt-generator": "true"}
    assert not any(label in each["spec"]["selector"]["matchLabels"] for each in deployments.values())
    (endpoint,) = objects["PodMonitor"]["touchstone"]["spec"]["podMetricsEndpoints"]
    source = f"__meta_kubernetes_pod_label_{re.sub('[^a-z]', '_', label)}"
    assert {"sourceLabels": [source], "targetLabel": "rests"} in endpoint["relabelings"]
    prometheus = objects["ConfigMap"]["touchstone-demo-prometheus"]["data"]["prometheus.yml"]
    (demo,) = yaml.safe_load(prometheus)["scrape_configs"]
    rules = [rule for rule in demo["relabel_configs"] if rule["target_label"] == "rests"]
    assert [(rule["regex"], rule["replacement"]) for rule in rules] == [("touchstone-demo-every-pbt-generator", "true")]

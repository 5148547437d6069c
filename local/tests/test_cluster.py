"""The node's files: certificates that verify, images with the same bytes, configurations that programs can read."""

import io
import json
import pathlib
import signal
import ssl
import subprocess
import tarfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

import helm_python
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from touchstone_local.cluster import __main__ as cluster_main
from touchstone_local.cluster import building, certificates, daemons, disks, images, installing, node, scaling, servers
from touchstone_local.cluster.layout import ADDRESS, API_SERVICE_ADDRESS, NAME, PAUSE_IMAGE, Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path / "state", tmp_path / "cache").create()


def certificate(layout, name):
    return x509.load_pem_x509_certificate((layout.keys / f"{name}.crt").read_bytes())


def test_every_part_has_a_certificate_of_the_nodes_authority_and_a_key_that_nobody_else_reads(layout):
    certificates.ensure(layout)
    authority = certificate(layout, "ca")
    names = {path.stem for path in layout.keys.glob("*.crt")} - {"ca", "aggregator", "aggregator-ca"}
    assert {"apiserver", "kubelet", "kubelet-server", "admin", "controller-manager", "scheduler", "proxy"} <= names
    for name in names:
        issued = certificate(layout, name)
        issued.verify_directly_issued_by(authority)
        key = serialization.load_pem_private_key((layout.keys / f"{name}.key").read_bytes(), None)
        assert key.public_key() == issued.public_key()
        assert (layout.keys / f"{name}.key").stat().st_mode & 0o077 == 0
    named = certificate(layout, "apiserver").extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = {str(one) for one in named.get_values_for_type(x509.IPAddress)}
    assert {ADDRESS, API_SERVICE_ADDRESS} <= addresses
    assert certificate(layout, "kubelet").subject.rfc4514_string() == f"CN=system:node:{NAME},O=system:nodes"


def test_who_may_speak_in_anybodys_name_is_vouched_for_by_an_authority_of_its_own(layout):
    certificates.ensure(layout)
    shown = certificate(layout, "aggregator")
    shown.verify_directly_issued_by(certificate(layout, "aggregator-ca"))
    with pytest.raises(ValueError, match="issuer"):
        shown.verify_directly_issued_by(certificate(layout, "ca"))
    command = daemons.named(layout, "apiserver").command
    told = dict(word.lstrip("-").split("=", 1) for word in command if word.startswith("--") and "=" in word)
    assert shown.subject.rfc4514_string() == f"CN={told['requestheader-allowed-names']}"
    assert told["requestheader-client-ca-file"] == str(layout.keys / "aggregator-ca.crt")
    assert told["proxy-client-cert-file"] == str(layout.keys / "aggregator.crt")
    # A node of before has its own keys already, and is given these.
    (layout.keys / "aggregator.crt").unlink()
    kept = (layout.keys / "ca.crt").read_bytes()
    certificates.ensure(layout)
    certificate(layout, "aggregator").verify_directly_issued_by(certificate(layout, "aggregator-ca"))
    assert (layout.keys / "ca.crt").read_bytes() == kept


def test_keda_is_what_its_lock_names_and_runs_from_the_nodes_own_image(tmp_path):
    (source,) = [scaling._MANIFESTS]
    sums = (scaling.KEDA.module / "go.sum").read_text().splitlines()
    assert f"{source.module} {scaling.VERSION} {source.checksum}" in sums
    tools = [
        line.split()[-1] for line in (scaling.KEDA.module / "go.mod").read_text().splitlines() if "keda/v2/cmd" in line
    ]
    assert sorted(tools) == sorted([scaling.KEDA.package, *scaling.KEDA.others])
    pod = {"spec": {"containers": [{"image": "elsewhere/keda", "command": ["/keda"], "resources": {"limits": {}}}]}}
    for name in source.files:
        known = {"kind": "Deployment", "spec": {"template": pod}} if "deployment" in name else {"kind": name}
        (tmp_path / name.replace("/", "_")).write_text(yaml.safe_dump(known))
    made = list(scaling.objects(tmp_path))
    kinds = [each["kind"] for each in made]
    # Definitions and the namespace come before what belongs to them.
    assert len(made) == len(source.files) and kinds.index("general/namespace.yaml") < kinds.index("rbac/role.yaml")
    assert max(place for place, kind in enumerate(kinds) if kind.startswith("crd/")) < kinds.index(
        "general/namespace.yaml"
    )
    (container,) = made[kinds.index("Deployment")]["spec"]["template"]["spec"]["containers"]
    assert (container["image"], container["imagePullPolicy"]) == (scaling.IMAGE, "Never")
    assert container["command"] == ["/keda"] and "limits" not in container["resources"]


def test_the_image_of_keda_holds_its_programs_under_their_own_names(layout, monkeypatch):
    operator = layout.cache / "operator"
    layout.cache.mkdir(exist_ok=True)
    operator.write_bytes(b"operator")
    operator.with_name("adapter").write_bytes(b"adapter")
    monkeypatch.setattr(scaling.go_programs, "build", lambda *_: operator)
    archive = scaling.image(layout, lambda _words: None)
    with tarfile.open(archive) as whole:
        blobs = [whole.extractfile(member).read() for member in whole]
    (layer,) = [blob for blob in blobs if b"operator" in blob and not blob.startswith(b"{")]
    with tarfile.open(fileobj=io.BytesIO(layer)) as files:
        assert files.getnames() == ["keda", "keda-adapter"]
        assert files.extractfile("keda-adapter").read() == b"adapter"


def test_certificates_are_made_once(layout):
    certificates.ensure(layout)
    before = {path.name: path.read_bytes() for path in layout.keys.iterdir()}
    certificates.ensure(layout)
    assert {path.name: path.read_bytes() for path in layout.keys.iterdir()} == before
    context = ssl.create_default_context(cafile=str(layout.keys / "ca.crt"))
    context.load_cert_chain(layout.keys / "admin.crt", layout.keys / "admin.key")


def test_the_same_files_give_the_same_image_which_names_what_it_runs(tmp_path):
    files = {"bin/busybox": b"program", "bin/sh": "busybox"}
    for name in ("one.tar", "two.tar"):
        images.write_archive(tmp_path / name, PAUSE_IMAGE, files, ["/bin/sh"])
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    with tarfile.open(tmp_path / "one.tar") as archive:
        read = {member.name: archive.extractfile(member).read() for member in archive}
    (manifest,) = json.loads(read["index.json"])["manifests"]
    described = json.loads(read[f"blobs/sha256/{manifest['digest'].partition(':')[2]}"])
    config = json.loads(read[f"blobs/sha256/{described['config']['digest'].partition(':')[2]}"])
    assert config["config"]["Entrypoint"] == ["/bin/sh"]
    # Neither layer nor program runs with rights.
    assert config["config"]["User"] == "65535:65535"
    assert config["rootfs"]["diff_ids"] == [layer["digest"] for layer in described["layers"]]


def test_the_daemons_are_told_things_that_they_can_read_and_folders_of_the_node_only(layout):
    certificates.ensure(layout)
    daemons.configure(layout)
    told = layout.configuration
    containerd = tomllib.loads((told / "containerd.toml").read_text())
    assert containerd["root"].startswith(str(layout.state))
    assert json.loads((told / "kubelet.json").read_text())["failCgroupV1"] is False
    assert json.loads((told / "proxy.json").read_text())["mode"] == "iptables"
    assert json.loads((told / "network" / "10-bridge.conflist").read_text())["plugins"]
    for user in ("kubelet", "admin"):
        reached = yaml.safe_load(layout.kubeconfig(user).read_text())
        assert reached["clusters"][0]["cluster"]["server"] == f"https://{ADDRESS}:6443"


def test_another_state_folder_has_another_cgroup_and_a_node_that_does_not_run_says_so(layout, tmp_path):
    assert layout.cgroup != Layout(tmp_path / "other", layout.cache).cgroup
    assert node.running(layout) is None
    with pytest.raises(LocalError, match="make cluster"):
        node.inside(layout, ["true"])
    node.down(layout)
    node.forget(layout)
    assert not layout.state.exists()


def test_an_image_has_another_name_when_what_it_is_built_from_changes(tmp_path, monkeypatch):
    for name in ("Dockerfile", "requirements-bootstrap.lock", "models.toml", "sources.toml", "shared/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    for image in building.IMAGES:
        (tmp_path / image.folder / "tests").mkdir(parents=True)
        (tmp_path / image.folder / "code.py").write_text("1")
    monkeypatch.setattr(building, "checkout", lambda: tmp_path)
    one, other = building.IMAGES[:2]
    before = building.reference(one), building.reference(other)
    (tmp_path / one.folder / "tests" / "test_it.py").write_text("2")
    assert (building.reference(one), building.reference(other)) == before
    (tmp_path / one.folder / "code.py").write_text("2")
    assert building.reference(one) != before[0] and building.reference(other) == before[1]
    (tmp_path / "shared/a.py").write_text("2")
    assert building.reference(other) != before[1]


def test_an_image_is_built_saved_and_kept_under_one_name(layout, tmp_path, monkeypatch):
    called = []

    def call(_store, *words):
        called.append(words)
        if words[0] == "push":
            (draft,) = [word for word in words if word.startswith("docker-archive:")]
            pathlib.Path(draft.split(":")[1]).write_text("image")
        return "there"

    monkeypatch.setattr(building.Store, "_call", call)
    monkeypatch.setattr(building, "build_once", lambda folder, _build: folder)
    (image,) = [image for image in building.IMAGES if image.name == "sandbox-executor"]
    archives = building.build(layout, [image], lambda _words: None)
    staged, built, saved = [words for words in called if words[0] in ("build", "push")]
    name = building.reference(image)
    assert built[built.index("--tag") + 1] == name == saved[-2] and "--target" not in built
    # By its own name it is known which layers the next build of this image goes on from.
    assert staged[staged.index("--target") + 1 :][:3] == ("build", "--tag", building.stage_of(name))
    # What was built for the languages lies where the Dockerfile looks for it.
    mounted = [built[place + 1] for place, word in enumerate(built) if word == "--volume"]
    assert f"{layout.cache / 'jars/ecj'}:/var/cache/toolchains/jars/ecj:rw" in mounted
    assert archives[image.name].read_text() == "image"


def test_an_archive_that_two_want_at_once_is_made_once_and_is_never_seen_in_part(layout):
    place, made = layout.cache / "cluster" / "images" / "web-1.tar", []

    def make(draft):
        made.append(draft)
        draft.write_text("ima")
        assert not place.exists()
        time.sleep(0.2)
        draft.write_text("image")

    def have(_number):
        return building.once(place, make).read_text()

    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(have, range(3))] == ["image"] * 3
    assert len(made) == 1
    # Neither a draft nor what stood for who makes it stays.
    assert [path for path in layout.cache.rglob("*") if path.is_file()] == [place]


def test_who_waited_for_an_archive_that_could_not_be_made_makes_it(layout):
    place, tries = layout.cache / "cluster" / "images" / "web-1.tar", []

    def make(draft):
        # Nobody goes on from what was broken off.
        assert not draft.exists()
        draft.write_text("image")
        tries.append(draft)
        if len(tries) == 1:
            time.sleep(0.2)
            raise LocalError("the disk is full")

    def have(_number):
        try:
            return building.once(place, make).read_text()
        except LocalError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(have, range(2))) == ["image", "the disk is full"]
    assert len(tries) == 2


def test_a_chart_whose_images_the_node_lacks_is_not_installed(layout, monkeypatch):
    """Sources that changed since the images were made have other names: pods would wait for them, step after step."""
    names = [f"{building.REGISTRY}/{image.name}:{installing.tag()}" for image in building.IMAGES] + [building.DEMO]
    released = []
    monkeypatch.setattr(installing, "_release", lambda _layout, *words: released.append(words) or "")
    monkeypatch.setattr(installing, "_containerd", lambda _layout, *_words: "\n".join(names[:-1]))
    with pytest.raises(LocalError, match=rf"{names[-1]}: 1 of {len(names)} images are not on the node.*make cluster"):
        installing.install(layout, "pods", lambda _words: None)
    assert not released
    monkeypatch.setattr(installing, "_containerd", lambda _layout, *_words: "\n".join(names))
    layout.state.mkdir(parents=True, exist_ok=True)
    installing.install(layout, "pods", lambda _words: None)
    assert [words[0] for words in released] == ["install"]


@pytest.mark.parametrize("backend", installing.BACKENDS)
def test_the_nodes_values_are_values_of_the_chart(layout, monkeypatch, backend):
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(layout.cache))
    given = installing.values(backend)
    known = yaml.safe_load((checkout() / "helm/touchstone/values.yaml").read_text())
    assert set(given) <= set(known) and set(given["services"]) <= set(known["services"])
    assert {each["image"] for each in given["demo"].values()} == {building.DEMO}
    assert set(given["demo"]) == set(known["demo"]) - {"enabled"}
    for service in given["services"].values():
        assert [one["name"] for one in service["extraVolumes"]] == [one["name"] for one in service["extraVolumeMounts"]]
    assert given["executor"]["backend"] == backend
    # What a pod claims is there, and nobody may write to it.
    made = {(one["kind"], one["metadata"]["name"]): one["spec"] for one in installing.volumes(layout)}
    for service, root in (("embedder", layout.cache), ("ingester", layout.state)):
        for claim in [one["persistentVolumeClaim"] for one in given["services"][service]["extraVolumes"]]:
            volume = made["PersistentVolume", made["PersistentVolumeClaim", claim["claimName"]]["volumeName"]]
            assert volume["hostPath"]["path"].startswith(str(root)) and volume["accessModes"] == ["ReadOnlyMany"]
            assert claim["readOnly"]
    for name, server in given["demo"].items():
        assert (name in disks.NAMES) == ("claim" in server)
        if "claim" in server:
            volume = made["PersistentVolume", made["PersistentVolumeClaim", server["claim"]]["volumeName"]]
            assert volume["hostPath"]["path"] == str(disks.place(layout, name))


def test_an_older_release_is_told_no_settings_that_came_later(tmp_path, monkeypatch):
    monkeypatch.setattr(installing, "tag", lambda _root: "older")
    place = "helm/touchstone/values.schema.json"
    schema = json.loads((checkout() / place).read_text())
    embedder = schema["properties"]["services"]["properties"]["embedder"]["properties"]["settings"]["properties"]
    del embedder["TOUCHSTONE_EMBEDDING_REST_S"]
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(json.dumps(schema))
    now, before = (installing.values("local", root)["services"]["embedder"]["settings"] for root in (None, tmp_path))
    assert set(now) - set(before) == {"TOUCHSTONE_EMBEDDING_REST_S"}


def test_with_runner_pods_no_pod_of_the_platform_may_be_privileged(layout):
    levels = {
        backend: installing.namespace(backend)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for backend in installing.BACKENDS
    }
    assert levels == {"local": "privileged", "pods": "restricted"}
    # A folder of the node would be no volume of that level.
    assert "hostPath" not in json.dumps(installing.values("pods"))


def test_a_disk_of_the_node_is_made_once_and_mounted_at_each_start(layout, monkeypatch):
    called = []

    def call(*command):
        called.append(command)
        if command[0] == "mkfs.ext4":
            # What is half made has another name than what is mounted.
            assert not pathlib.Path(command[-1]).with_suffix(".img").exists()

    monkeypatch.setattr(disks, "_call", call)
    monkeypatch.setattr(disks.os, "chown", lambda *_: None)
    disks.mount(layout)
    made = {name: disks.place(layout, name).with_suffix(".img") for name in disks.NAMES}
    for image in made.values():
        # It takes no room of the machine until something is written to it.
        assert image.stat().st_size > 1 << 30 and image.stat().st_blocks == 0
        image.write_text("data")
    disks.mount(layout)
    assert [command[0] for command in called].count("mkfs.ext4") == len(disks.NAMES)
    mounted = [command[-2:] for command in called if command[0] == "mount"]
    assert mounted == [(str(image), str(disks.place(layout, name))) for name, image in made.items()] * 2
    assert {image.read_text() for image in made.values()} == {"data"}


def test_the_demonstrations_image_holds_every_program_that_the_chart_starts(layout, monkeypatch):
    monkeypatch.setattr(servers.go_programs, "find", lambda program, cache: cache / program.binary)
    monkeypatch.setattr(servers.weaviate, "ensure", lambda cache, _tell: cache / "weaviate-server")
    monkeypatch.setattr(servers.packages, "ensure_more", lambda layout, *_: layout.cache)
    programs = servers.programs(layout, lambda _words: None)
    values = yaml.safe_load((checkout() / "helm/touchstone/demo.yaml").read_text())
    with helm_python.Chart.load(str(checkout() / "helm/touchstone")) as chart:
        files = chart.render(values, name="touchstone", namespace="touchstone")
    (stores,) = [text for path, text in files.items() if path.endswith("demo-stores.yaml")]
    sets = [each for each in yaml.safe_load_all(stores) if each and each["kind"] == "StatefulSet"]
    started = {" ".join(each["spec"]["template"]["spec"]["containers"][0]["command"]) for each in sets}
    assert len(started) == len(programs) == 3
    for name in programs:
        assert [command for command in started if f"/bin/{name} " in command or f"exec {name} " in command], name


def test_servers_are_built_behind_the_steps_and_no_longer_than_these(monkeypatch):
    started, real = [], subprocess.Popen

    def popen(command, **options):
        started.append((command, real(["sleep", "600"], **options)))
        return started[0][1]

    monkeypatch.setattr(cluster_main.subprocess, "Popen", popen)
    with cluster_main._servers_ahead():
        ((command, building),) = started
        assert command[-1] == "servers" and building.poll() is None
    assert building.returncode == -signal.SIGTERM

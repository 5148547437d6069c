"""Container runtimes that are built: what is chosen, what containerd is told, what pods get of their cgroups."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from touchstone_local import go_programs, resources
from touchstone_local.cluster import daemons, installing, node, packages, release, runtimes
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout

BINARIES = {"containerd", "containerd-shim-runc-v2", "ctr", "runc", "containerd-shim-runsc-v1", "runsc"}


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path / "state", tmp_path / "cache").create()


@pytest.fixture
def built(layout, monkeypatch):
    """A node whose runtimes are those that are built; what a compiler would give is there already."""

    def have(program, cache, _tell, _variables=None):
        folder = program.place(cache).parent
        folder.mkdir(parents=True, exist_ok=True)
        for name in (program.binary, *(package.rpartition("/")[2] for package in program.others)):
            (folder / name).write_text('#!/bin/sh\necho \'{"process": {"args": ["sh"]}}\'\n')
            (folder / name).chmod(0o755)
        return program.place(cache)

    monkeypatch.setattr(runtimes.go_programs, "build", have)
    for program in (runtimes.RUNC, runtimes.SHIM):
        have(program, layout.cache, None)
    runtimes.choose(layout, runtimes.BUILT, lambda _words: None)
    return layout


def test_what_is_chosen_comes_before_the_packages_and_can_be_given_up(built):
    assert {path.name for path in built.programs.iterdir()} == BINARIES
    assert all(path.is_symlink() and path.is_file() for path in built.programs.iterdir())
    assert packages.variables(built)["PATH"].startswith(f"{built.programs}:{built.packages}")
    assert runtimes.are_built(built)
    runtimes.choose(built, runtimes.PACKAGED, lambda _words: None)
    assert not runtimes.are_built(built) and not list(built.programs.iterdir())


def test_containerd_2_is_told_of_gvisor_and_its_containers_begin_with_their_cgroups(built, monkeypatch):
    monkeypatch.setenv("PATH", packages.variables(built)["PATH"])
    told = tomllib.loads(daemons._containerd_2(built))
    plugins = told["plugins"]["io.containerd.cri.v1.runtime"]
    names = plugins["containerd"]["runtimes"]
    assert told["version"] == 3 and set(names) == {"runc", runtimes.HANDLER}
    # As pods of the chart ask, and as the runner needs it where nobody asks.
    assert names[runtimes.HANDLER]["pod_annotations"] == ["dev.gvisor.*"]
    runsc = tomllib.loads(Path(names[runtimes.HANDLER]["options"]["ConfigPath"]).read_text())
    assert runsc["runsc_config"]["in-sandbox-cgroup"] == "v2"
    assert Path(runsc["binary_name"]).resolve() == runtimes.RUNSC.place(built.cache)
    begun = json.loads(Path(names["runc"]["base_runtime_spec"]).read_text())
    (hook,) = begun["hooks"]["createRuntime"]
    # Limits of processes: those that containerd sets by itself nobody may set in a pod without users of the node.
    assert begun["process"] == {"args": ["sh"]} and os.access(hook["path"], os.X_OK)
    # State of one version is no other's.
    assert told["root"] != tomllib.loads(daemons._containerd(built))["root"]


def test_a_pod_without_users_of_the_node_gets_its_cgroups_and_others_get_none(tmp_path, monkeypatch):
    """The program that does it, on folders that stand for a process and for its cgroups."""
    hook = tmp_path / "hook"
    runtimes.delegating({"process": {}}, hook)
    changed = tmp_path / "changed"
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "chown").write_text(f'#!/bin/sh\necho "$@" >> {changed}\n')
    (bin_folder / "chown").chmod(0o755)
    text = hook.read_text().replace("/proc/", f"{tmp_path}/proc/").replace("/sys/fs/cgroup/", f"{tmp_path}/cgroup/")
    hook.write_text(text)
    (tmp_path / "proc" / "7").mkdir(parents=True)
    for name in ("memory", "systemd"):
        (tmp_path / "cgroup" / name / "pods" / "one").mkdir(parents=True)
    (tmp_path / "proc" / "7" / "cgroup").write_text("4:memory:/pods/one\n3:name=systemd:/pods/one\n0::/\n")
    for users, given in (("0 0 4294967295", False), ("0 300000 65536", True)):
        (tmp_path / "proc" / "7" / "uid_map").write_text(f"         {users}\n")
        subprocess.run(
            [hook], input='{"ociVersion":"1.2.0","id":"a","pid":7,"bundle":"/b"}', text=True, check=True,
            env={"PATH": f"{bin_folder}:{os.defpath}"},
        )  # fmt: skip
        assert changed.exists() == given
    lines = changed.read_text().splitlines()
    assert len(lines) == 2
    for line, name in zip(lines, ("memory", "systemd"), strict=True):
        folder = f"{tmp_path}/cgroup/{name}/pods/one"
        # None of the files that hold the pod's own limits.
        assert line.split() == ["300000:300000", folder, f"{folder}/cgroup.procs", f"{folder}/tasks"]


def test_a_node_that_runs_with_other_runtimes_is_not_taken_for_one_with_these(layout, monkeypatch):
    monkeypatch.setattr(node, "running", lambda _layout: 1)
    told = []
    node.up(layout, told.append)
    assert told == ["the node runs"]
    with pytest.raises(LocalError, match="cluster-down"):
        node.up(layout, told.append, runtimes.BUILT)


def test_the_class_is_there_before_the_chart_is_installed_on_a_node_that_has_it(built, monkeypatch):
    monkeypatch.setattr(installing, "missing", lambda *_: [])
    monkeypatch.setattr(installing, "_release", lambda *_: "")
    installing.install(built, "pods", lambda _words: None)
    around = json.loads((built.state / "around.json").read_text())
    (kind,) = [each for each in around if each["kind"] == "RuntimeClass"]
    assert kind["metadata"]["name"] == "gvisor" and kind["handler"] == runtimes.HANDLER
    runtimes.choose(built, runtimes.PACKAGED, lambda _words: None)
    installing.install(built, "pods", lambda _words: None)
    assert "RuntimeClass" not in (built.state / "around.json").read_text()
    seen = []
    api = type("Api", (), {"__getattr__": lambda _self, name: lambda *given: seen.append((name, given))})
    monkeypatch.setattr(release.client, "CoreV1Api", api)
    monkeypatch.setattr(release.client, "NodeV1Api", api)
    monkeypatch.setattr(release.config, "load_kube_config", lambda: None)
    release._surround([kind])
    assert seen == [("create_runtime_class", (kind,))]


def test_versions_are_what_the_locks_name():
    for program in (runtimes.CONTAINERD, runtimes.RUNC, runtimes.SHIM):
        manifest = (program.module / "go.mod").read_text()
        sums = (program.module / "go.sum").read_text()
        assert f" {program.version} h1:" in sums
        for package in (program.package, *program.others):
            assert package in manifest
    executors = checkout() / "services/sandbox-executor/src/sandbox_executor/adapters/gvisor/provision.py"
    assert f'VERSION = "{runtimes.RUNSC.version}"' in executors.read_text()
    assert runtimes.RUNSC.version.rpartition("-")[2] == runtimes.SHIM.version.rpartition("-")[2]


def test_the_shim_is_built_from_its_module_with_one_line_changed(layout, monkeypatch):
    def take(_module, version, checksum, target, _tell):
        assert version == runtimes.SHIM.version and checksum.startswith("h1:")
        file = target / "pkg/shim/v1/manager.go"
        file.parent.mkdir(parents=True)
        file.write_text("if err := sys.SetOOMScore(cmd.Process.Pid, oomScoreMax); err != nil {")

    seen = {}

    def build(program, _cache, _tell):
        seen["manifest"] = (program.module / "go.mod").read_text()
        source = seen["manifest"].rpartition("=> ")[2].strip()
        seen["line"] = Path(source, "pkg/shim/v1/manager.go").read_text()
        return program.place(layout.cache)

    monkeypatch.setattr(runtimes.resources, "take_whole", take)
    monkeypatch.setattr(runtimes.go_programs, "build", build)
    runtimes._build_shim(layout, lambda _words: None)
    assert seen["line"] == "if err := sys.SetOOMScore(cmd.Process.Pid, 1); err != nil {"
    assert seen["manifest"].startswith((runtimes.SHIM.module / "go.mod").read_text())


def test_a_command_with_variables_is_the_same_command_with_them(tmp_path):
    command = tmp_path / "go"
    command.write_text('#!/bin/sh\necho "$CGO_ENABLED $1"\n')
    command.chmod(0o755)
    given = go_programs._with({"CGO_ENABLED": "a b"}, command, tmp_path / "other")
    assert subprocess.check_output([given, "build"], text=True, env={"CGO_ENABLED": "0"}) == "a b build\n"


def test_the_chart_names_the_class_that_there_is():
    values = yaml.safe_load((checkout() / "helm/touchstone/values.yaml").read_text())
    assert values["runner"]["runtimeClassName"] == "" and values["runner"]["hostUsers"] is True
    assert runtimes.RUNTIME_CLASS in (checkout() / "helm/touchstone/values.yaml").read_text()


def test_a_whole_module_is_taken_and_can_be_written_to(tmp_path, monkeypatch):
    fetched = tmp_path / "fetched"
    (fetched / "inner").mkdir(parents=True)
    (fetched / "inner" / "file.go").write_text("package inner")
    for path in (fetched / "inner" / "file.go", fetched / "inner"):
        path.chmod(path.stat().st_mode & ~0o222)
    asked = []
    monkeypatch.setattr(resources, "_download", lambda source, *_: asked.append(source) or fetched)
    resources.take_whole("example.test/a", "v1", "h1:x", tmp_path / "target", lambda _words: None)
    assert [(source.module, source.version, source.checksum) for source in asked] == [("example.test/a", "v1", "h1:x")]
    for path in (tmp_path / "target" / "inner", tmp_path / "target" / "inner" / "file.go"):
        assert path.stat().st_mode & 0o200
    (fetched / "inner").chmod(0o755)

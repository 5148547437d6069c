"""What runs on the node beside pods, how it is told what to do, and in which order it comes up."""

from __future__ import annotations

import json
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from touchstone_local.cluster import certificates, images, program, runtimes
from touchstone_local.cluster.layout import (
    ADDRESS,
    API_PORT,
    CONTAINERD_SOCKET,
    DNS_ADDRESS,
    DOMAIN,
    NAME,
    PAUSE_IMAGE,
    PODS_CIDR,
    SERVICES_CIDR,
    Layout,
)
from touchstone_local.errors import LocalError

_READY_WITHIN_S = 240.0
_API = f"https://{ADDRESS}:{API_PORT}"


class Tell(Protocol):
    """Told each step, with what belongs to it."""

    def __call__(self, step: str, **more: object) -> None:
        """Take one step."""
        ...


@dataclass(frozen=True)
class Daemon:
    """One program of the node.

    Attributes:
        name: What its log file is called.
        command: Program and arguments.
        ready: Whether it does its work; asked again and again.
    """

    name: str
    command: tuple[str, ...]
    ready: Callable[[], bool]


def start(layout: Layout, tell: Tell) -> dict[str, subprocess.Popen[bytes]]:
    """Start everything, each once what it needs is there.

    Raises:
        LocalError: one of them ends or does not come up.
    """
    certificates.ensure(layout)
    configure(layout)
    running: dict[str, subprocess.Popen[bytes]] = {}
    for daemon in _all(layout):
        running[daemon.name] = spawn(layout, daemon)
        until_ready(layout, daemon, running[daemon.name], _READY_WITHIN_S)
        tell(daemon.name)
        if daemon.name == "containerd":
            images.import_pause(layout)
    return running


def spawn(layout: Layout, daemon: Daemon) -> subprocess.Popen[bytes]:
    """Start one of them; its log goes on where it was."""
    with (layout.logs / f"{daemon.name}.log").open("ab") as sink:
        return subprocess.Popen(
            daemon.command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True
        )


def until_ready(layout: Layout, daemon: Daemon, process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a daemon does its work.

    Raises:
        LocalError: it ends, or does not so within these seconds; its last words are in the message.
    """
    deadline = time.monotonic() + seconds
    while not daemon.ready():
        if process.poll() is not None or time.monotonic() > deadline:
            log = layout.logs / f"{daemon.name}.log"
            words = log.read_text(errors="replace").strip().splitlines()[-5:]
            raise LocalError(f"does not come up: {' | '.join(words)[-900:]}", thing=daemon.name, way_out=f"see {log}")
        time.sleep(0.1)


def named(layout: Layout, name: str) -> Daemon:
    """The daemon of this name."""
    return next(daemon for daemon in _all(layout) if daemon.name == name)


def _all(layout: Layout) -> list[Daemon]:
    kubernetes = str(program.KUBERNETES.place(layout.cache))
    keys, told = layout.keys, layout.configuration
    by = {user: str(layout.kubeconfig(user)) for user in ("controller-manager", "scheduler", "kubelet", "proxy")}
    return [
        Daemon("containerd", ("containerd", "--config", str(told / "containerd.toml")), Path(CONTAINERD_SOCKET).exists),
        Daemon(
            "etcd",
            (
                kubernetes, "etcd", "--data-dir", str(layout.state / "etcd"), "--log-level", "warn",
                "--unsafe-no-fsync",
                "--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls", "http://127.0.0.1:2379",
                "--listen-peer-urls", "http://127.0.0.1:2380", "--initial-advertise-peer-urls", "http://127.0.0.1:2380",
                "--initial-cluster", "default=http://127.0.0.1:2380",
            ),
            lambda: _answers("http://127.0.0.1:2379/health", None),
        ),
        Daemon(
            "apiserver",
            (
                kubernetes, "apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--advertise-address={ADDRESS}",
                f"--secure-port={API_PORT}", f"--service-cluster-ip-range={SERVICES_CIDR}",
                "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
                "--allow-privileged=true", f"--client-ca-file={keys}/ca.crt",
                f"--tls-cert-file={keys}/apiserver.crt", f"--tls-private-key-file={keys}/apiserver.key",
                f"--kubelet-client-certificate={keys}/apiserver-to-kubelet.crt",
                f"--kubelet-client-key={keys}/apiserver-to-kubelet.key",
                f"--kubelet-certificate-authority={keys}/ca.crt", "--kubelet-preferred-address-types=InternalIP",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={keys}/service-accounts.pub",
                f"--service-account-signing-key-file={keys}/service-accounts.key",
                # Servers that extend the API, for example with metrics, are told in these headers who asks.
                f"--requestheader-client-ca-file={keys}/aggregator-ca.crt",
                f"--requestheader-allowed-names={certificates.AGGREGATOR}",
                "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                f"--proxy-client-cert-file={keys}/aggregator.crt", f"--proxy-client-key-file={keys}/aggregator.key",
            ),
            lambda: _answers(f"{_API}/readyz", layout),
        ),
        Daemon(
            "controller-manager",
            (
                kubernetes, "controller-manager", f"--kubeconfig={by['controller-manager']}",
                f"--authentication-kubeconfig={by['controller-manager']}",
                f"--authorization-kubeconfig={by['controller-manager']}", "--leader-elect=false",
                "--bind-address=127.0.0.1", "--use-service-account-credentials", f"--root-ca-file={keys}/ca.crt",
                f"--service-account-private-key-file={keys}/service-accounts.key",
                f"--cluster-signing-cert-file={keys}/ca.crt", f"--cluster-signing-key-file={keys}/ca.key",
            ),
            # Without its default account no pod is admitted.
            lambda: _answers(f"{_API}/api/v1/namespaces/default/serviceaccounts/default", layout),
        ),
        Daemon(
            "scheduler",
            (
                kubernetes, "scheduler", f"--kubeconfig={by['scheduler']}",
                f"--authentication-kubeconfig={by['scheduler']}", f"--authorization-kubeconfig={by['scheduler']}",
                "--leader-elect=false", "--bind-address=127.0.0.1",
            ),
            lambda: True,
        ),
        Daemon("proxy", (kubernetes, "proxy", f"--config={told / 'proxy.json'}"), lambda: True),
        Daemon(
            "dns",
            (kubernetes, "dns", "-conf", str(told / "Corefile")),
            lambda: _answers("http://127.0.0.1:8181/ready", None),
        ),
        Daemon(
            "kubelet",
            (
                kubernetes, "kubelet", f"--config={told / 'kubelet.json'}", f"--kubeconfig={by['kubelet']}",
                f"--root-dir={layout.state / 'kubelet'}", f"--cert-dir={layout.state / 'kubelet' / 'pki'}",
                f"--hostname-override={NAME}", f"--node-ip={ADDRESS}",
            ),
            lambda: _node_ready(layout),
        ),
    ]  # fmt: skip


def _answers(url: str, layout: Layout | None) -> bool:
    return _ask(url, layout) is not None


def _ask(url: str, layout: Layout | None) -> bytes | None:
    context = None
    if layout is not None:
        context = ssl.create_default_context(cafile=str(layout.keys / "ca.crt"))
        context.load_cert_chain(layout.keys / "admin.crt", layout.keys / "admin.key")
    try:
        # Through no proxy of the environment: what is asked runs here.
        direct = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )
        with direct.open(url, timeout=5) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError):
        return None


def _node_ready(layout: Layout) -> bool:
    answer = _ask(f"{_API}/api/v1/nodes/{NAME}", layout)
    conditions = json.loads(answer)["status"].get("conditions", []) if answer else []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def configure(layout: Layout) -> None:
    """Write what each daemon is told."""
    told = layout.configuration
    (told / "containerd.toml").write_text((_containerd_2 if runtimes.are_built(layout) else _containerd)(layout))
    (told / "kubelet.json").write_text(json.dumps(_kubelet(layout), indent=1))
    (told / "proxy.json").write_text(json.dumps(_proxy(layout), indent=1))
    (told / "Corefile").write_text(_corefile(layout))
    network = told / "network"
    network.mkdir(exist_ok=True)
    (network / "10-bridge.conflist").write_text(json.dumps(_NETWORK, indent=1))


def _containerd(layout: Layout) -> str:
    """Configuration of containerd 1.6: this machine's user may not make a process less likely to be killed."""
    cri = 'plugins."io.containerd.grpc.v1.cri"'
    return f"""version = 2
root = "{layout.state}/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "{CONTAINERD_SOCKET}"
[{cri}]
  sandbox_image = "{PAUSE_IMAGE}"
  disable_apparmor = true
  restrict_oom_score_adj = true
[{cri}.containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[{cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[{cri}.cni]
  bin_dir = "{layout.packages}/usr/lib/cni"
  conf_dir = "{layout.configuration}/network"
"""


def _containerd_2(layout: Layout) -> str:
    """Configuration of containerd 2, with gVisor beside runc, and runc's containers with cgroups of their own."""
    told = layout.configuration
    # That every container begins with is containerd's own, as its client tells it.
    asked = subprocess.run(["ctr", "oci", "spec"], capture_output=True, text=True, check=True)
    specification = told / "container.json"
    delegating = runtimes.delegating(json.loads(asked.stdout), told / "delegate")
    specification.write_text(json.dumps(delegating, indent=1))
    (told / "runsc.toml").write_text(f"""binary_name = "{layout.programs / runtimes.RUNSC.binary}"
[runsc_config]
  platform = "systrap"
  in-sandbox-cgroup = "v2"
""")
    images_of, runtime = 'plugins."io.containerd.cri.v1.images"', 'plugins."io.containerd.cri.v1.runtime"'
    return f"""version = 3
root = "{layout.state}/containerd-2"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "{CONTAINERD_SOCKET}"
[{images_of}]
  snapshotter = "overlayfs"
[{images_of}.pinned_images]
  sandbox = "{PAUSE_IMAGE}"
[{runtime}]
  disable_apparmor = true
  restrict_oom_score_adj = true
[{runtime}.containerd]
  default_runtime_name = "runc"
[{runtime}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  base_runtime_spec = "{specification}"
[{runtime}.containerd.runtimes.{runtimes.HANDLER}]
  runtime_type = "io.containerd.runsc.v1"
  pod_annotations = ["dev.gvisor.*"]
[{runtime}.containerd.runtimes.{runtimes.HANDLER}.options]
  TypeUrl = "io.containerd.runsc.v1.options"
  ConfigPath = "{told / "runsc.toml"}"
[{runtime}.cni]
  bin_dirs = ["{layout.packages}/usr/lib/cni"]
  conf_dir = "{told}/network"
"""


def _kubelet(layout: Layout) -> dict[str, Any]:
    keys = layout.keys
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "failCgroupV1": False,
        "cgroupDriver": "cgroupfs",
        "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
        "address": ADDRESS,
        "healthzBindAddress": "127.0.0.1",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(keys / "ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(keys / "kubelet-server.crt"),
        "tlsPrivateKeyFile": str(keys / "kubelet-server.key"),
        "clusterDomain": DOMAIN,
        "clusterDNS": [DNS_ADDRESS],
        "resolvConf": "",
        "oomScoreAdj": 0,
        "maxPods": 60,
        # It shares its disk and memory with the machine: the figures of the machine are no reason to end pods.
        "evictionHard": {"memory.available": "200Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "volumePluginDir": str(layout.state / "volume-plugins"),
    }


def _proxy(layout: Layout) -> dict[str, Any]:
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "iptables",
        "clusterCIDR": PODS_CIDR,
        "hostnameOverride": NAME,
        "oomScoreAdj": 0,
        # The table's size belongs to the machine and cannot be written from here.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        "clientConnection": {"kubeconfig": str(layout.kubeconfig("proxy"))},
        "metricsBindAddress": "127.0.0.1:10249",
        "healthzBindAddress": "127.0.0.1:10256",
    }


def _corefile(layout: Layout) -> str:
    return f""".:53 {{
    ready 127.0.0.1:8181
    errors
    cache 2
    kubernetes {DOMAIN} in-addr.arpa {{
        endpoint {_API}
        kubeconfig {layout.kubeconfig("dns")}
        ttl 2
    }}
}}
"""


_NETWORK: dict[str, Any] = {
    "cniVersion": "1.0.0",
    "name": "pods",
    "plugins": [
        {
            "type": "bridge",
            "bridge": "cni0",
            "isGateway": True,
            "hairpinMode": True,
            "ipam": {
                "type": "host-local",
                "ranges": [[{"subnet": PODS_CIDR}]],
                "routes": [{"dst": "0.0.0.0/0"}],
                "dataDir": "/run/pod-addresses",
            },
        },
        {"type": "portmap", "capabilities": {"portMappings": True}},
    ],
}

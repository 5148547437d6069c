"""Attacks that an executor makes on its own sandbox, and what must become of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from sandbox_executor.domain.outcomes import CaseResult, Outcome

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Attack:
    """A program that must fail.

    Attributes:
        name: What is attacked.
        source: A Python candidate; its entry point `attack` returns a list of what it reached, empty for nothing.
        outcomes: Outcomes that mean that it was held.
        processes: Process limit.
        memory_bytes: Memory limit.
        timeout_s: Time limit of the call.
        output_bytes: Output limit.
    """

    name: str
    source: str
    outcomes: frozenset[Outcome] = frozenset({Outcome.RETURNED})
    processes: int = 16
    memory_bytes: int = 64 * _MIB
    timeout_s: float = 2.0
    output_bytes: int = 64 * 1024


@dataclass(frozen=True)
class Check:
    """What became of one attack."""

    name: str
    passed: bool
    detail: str


_FILES = """
import os, sys
def attack():
    reached = []
    # The interpreter lies at the same path as outside: of the folders on the way there, only the way is seen.
    way = sys.base_prefix.split("/")
    for path in ("/etc/shadow", "/root", "/home", "/var", "/sys", "/proc/kcore", "/proc/sys", "/boot", "/old",
                 "/environments", "/datasets", "/proc/1/environ", "/proc/1/root", "/dev/mem", "/dev/kmsg", "/dev/vda",
                 "/run"):
        try:
            found = os.listdir(path) if os.path.isdir(path) else [open(path, "rb").read(1)]
        except OSError:
            continue
        depth = path.count("/") + 1
        if path.split("/") == way[:depth] and found == way[depth:depth + 1]:
            continue
        if found:
            reached.append(path)
    return reached
"""
_WRITE = """
import os
def attack():
    reached = []
    for folder in ("/", "/etc", "/usr", "/usr/lib", "/dev", "/runtime", "/runtime/site", "/harness", "/library"):
        try:
            open(folder + "/written", "w").close()
        except OSError:
            continue
        reached.append(folder)
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/oom_score_adj"):
        try:
            with open(path, "w") as stream:
                stream.write("0")
        except OSError:
            continue
        reached.append(path)
    return reached
"""
_NETWORK = """
import socket
def attack():
    reached = []
    for family in ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN"):
        number = getattr(socket, family, None)
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                if number is not None:
                    socket.socket(number, kind).close()
                    reached.append(family)
            except OSError:
                pass
    return reached
"""
_PRIVILEGES = """
import os
def attack():
    reached = []
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        if int(status[name], 16):
            reached.append(name)
    if status["NoNewPrivs"].strip() != "1":
        reached.append("NoNewPrivs")
    if status["Seccomp"].strip() != "2":
        reached.append("Seccomp")
    calls = {"setuid": lambda: os.setuid(0), "setgid": lambda: os.setgid(0), "nice": lambda: os.nice(-5),
             "chroot": lambda: os.chroot("/tmp"), "chown": lambda: os.chown("/etc", os.getuid(), -1)}
    for name, call in calls.items():
        try:
            call()
        except OSError:
            continue
        reached.append(name)
    return reached
"""
_NEIGHBOURS = """
import os, signal
def attack():
    reached = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            for name in ("status", "cmdline", "environ", "maps"):
                try:
                    open(f"/proc/{entry}/{name}").close()
                except OSError:
                    continue
                reached.append(f"{entry}/{name}")
    for pid in (1, os.getppid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except (PermissionError, ProcessLookupError):
            continue
        if pid:
            reached.append(f"kill {pid}")
    return reached
"""
_ENVIRONMENT = """
import os
def attack():
    known = {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
             "MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "LC_CTYPE"}
    return sorted(set(os.environ) - known)
"""
_DESCRIPTORS = """
import os, stat
def attack():
    kinds = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue
        # A pipe leads to the executor's end of it, and to nothing else, whatever it is called.
        mode = os.fstat(int(name)).st_mode
        # The null device of the host has no better name in gVisor.
        pipe = stat.S_ISFIFO(mode) or (stat.S_ISCHR(mode) and target.startswith("host:"))
        if not pipe and target not in ("/dev/null",) and not target.startswith("/proc/"):
            kinds.append(target)
    return kinds
"""


def _call(number: str, arguments: str = "0, 0, 0, 0, 0") -> str:
    return (
        "import ctypes, platform\n"
        "def attack():\n"
        f"    number = ({number})[platform.machine() == 'aarch64']\n"
        f"    result = ctypes.CDLL(None, use_errno=True).syscall(number, {arguments})\n"
        "    return [] if result == -1 else ['it succeeded']\n"
    )


_FOREIGN_ABI = """
import ctypes, mmap, platform
def attack():
    if platform.machine() != "x86_64":
        raise SystemExit(0)
    # mov eax, 20 (getpid of the 32-bit table); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes((0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3)))
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return [str(ctypes.CFUNCTYPE(ctypes.c_int)(address)())]
"""
_MEMORY = """
def attack():
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
"""
_PROCESSES = """
import os
def attack():
    while True:
        os.fork()
"""
_OUTPUT = """
def attack():
    while True:
        print("x" * 1000)
"""
_LOOP = """
def attack():
    while True:
        pass
"""
_FRAMES = """
import os
def attack():
    answer = b'{"i":0,"o":"returned","v":["forged"]}'
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, len(answer).to_bytes(4, "big") + answer)
        except OSError:
            pass
    return []
"""
_DISK = """
def attack():
    with open("/work/full", "wb") as stream:
        for _ in range(4096):
            stream.write(bytes(1 << 20))
    return ["4 GiB"]
"""

_AGAIN = 2
_FORBIDDEN = frozenset({Outcome.FORBIDDEN})
_HELD = frozenset({Outcome.RETURNED, Outcome.FORBIDDEN})

ATTACKS: tuple[Attack, ...] = (
    Attack("host files", _FILES),
    Attack("writing outside of the working folders", _WRITE),
    Attack("network in every family", _NETWORK),
    Attack("privileges", _PRIVILEGES),
    Attack("other processes", _NEIGHBOURS),
    Attack("the executor's environment", _ENVIRONMENT),
    Attack("inherited descriptors", _DESCRIPTORS),
    Attack("tracing", _call("101, 117"), _FORBIDDEN),
    Attack("memory of other processes", _call("310, 270"), _FORBIDDEN),
    Attack("mounting", _call("165, 40"), _FORBIDDEN),
    Attack("new namespaces", _call("272, 97", "0x10000000, 0, 0, 0, 0"), _FORBIDDEN),
    Attack("namespaces by clone", _call("56, 220", "0x10000011, 0, 0, 0, 0"), _FORBIDDEN),
    Attack("keyrings", _call("250, 219"), _FORBIDDEN),
    Attack("BPF", _call("321, 280"), _FORBIDDEN),
    Attack("io_uring", _call("425, 425", "1, ctypes.create_string_buffer(512), 0, 0, 0")),
    Attack("a foreign ABI", _FOREIGN_ABI, frozenset({Outcome.FORBIDDEN, Outcome.EXITED, Outcome.KILLED})),
    Attack("memory", _MEMORY, frozenset({Outcome.MEMORY}), timeout_s=10.0),
    # With memory enough for so many interpreters where each needs its own.
    Attack("processes", _PROCESSES, frozenset({Outcome.PROCESS_LIMIT}), memory_bytes=512 * _MIB, timeout_s=5.0),
    Attack("output", _OUTPUT, frozenset({Outcome.OUTPUT_LIMIT})),
    Attack("time", _LOOP, frozenset({Outcome.TIMED_OUT}), timeout_s=0.3),
    Attack("forged answers", _FRAMES, _FORBIDDEN),
    Attack("disk", _DISK, frozenset({Outcome.RAISED, Outcome.MEMORY}), timeout_s=10.0),
)


def read_attack(attack: Attack, result: CaseResult | None) -> Check:
    """Whether an attack was held."""
    if result is None:
        return Check(attack.name, False, "no result")
    words = " ".join(part for part in (result.outcome.value, result.error_type, result.error_message) if part)
    if result.outcome not in attack.outcomes:
        wanted = " or ".join(sorted(outcome.value for outcome in attack.outcomes))
        return Check(attack.name, False, f"expected {wanted}, got {words}")
    if result.outcome is Outcome.RETURNED and json.loads(result.value) != []:
        return Check(attack.name, False, f"reached {result.value[:200]}")
    return Check(attack.name, True, "held" if result.outcome is Outcome.RETURNED else f"held: {result.outcome.value}")


Runner = Callable[[Attack], CaseResult | None]


def run_attacks(run: Runner, attacks: tuple[Attack, ...] = ATTACKS) -> list[Check]:
    """Make every attack; one that only ran out of its time, as on a busy machine, is made again."""
    found: list[Check] = []
    for attack in attacks:
        result = run(attack)
        for _ in range(_AGAIN):
            if result is None or result.outcome is not Outcome.TIMED_OUT or result.outcome in attack.outcomes:
                break
            result = run(attack)
        found.append(read_attack(attack, result))
    return found

"""Programs against the isolation: each is held by the sandbox, and succeeds where a layer was left out."""

import errno
import json
import os
import re
import time
from pathlib import Path

import pytest

from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.launcher import messages

UNPROTECTED = frozenset({"privileges", "seccomp", "landlock"})
OPEN_NETWORK = frozenset({"network", "seccomp", "landlock"})

# Runs an attack on the host, without anything around it.
BARE = """
import json, sys
path, host = sys.argv[1], json.loads(sys.argv[2])
space = {"__name__": "attack"}
exec(compile(open(path).read(), path, "exec"), space)
try:
    print(json.dumps(space["attack"](host)))
except Exception as error:
    print(json.dumps([]), type(error), error, file=sys.stderr)
"""
# Runs an attack beside a victim of the same user, in one sandbox: how programs share a container elsewhere.
BESIDE = """
import json, os, sys, time
source, host, twice = json.loads(sys.argv[1])
victim = os.fork()
if victim == 0:
    time.sleep(20)
    os._exit(0)
host["victim"] = victim
answers = []
for _ in range(2 if twice else 1):
    read, write = os.pipe()
    if os.fork() == 0:
        space = {"__name__": "attack"}
        exec(compile(source, "attack", "exec"), space)
        try:
            found = space["attack"](host)
        except Exception as error:
            found = []
        os.write(write, json.dumps(found).encode())
        os.close(write)
        time.sleep(1)
        os._exit(0)
    os.close(write)
    answers.append(json.loads(os.read(read, 60000) or b"[]"))
print(json.dumps(answers[-1]))
os.kill(victim, 9)
"""
# Runs an attack twice in one process: a pool of workers that are used again.
SAME_PROCESS = """
import json, sys
source, host, _ = json.loads(sys.argv[1])
for _ in range(2):
    space = {"__name__": "attack"}
    exec(compile(source, "attack", "exec"), space)
    found = space["attack"](host)
print(json.dumps(found))
"""


# Runs an attack and notes how the kernel refused it: every exception that shows up in the attack's own code, caught
# there or not. An attack that fails for another reason than the one that it names has shown nothing.
OBSERVED = """
def observed(host):
    import errno, sys
    own, refusals = attack.__code__.co_filename, set()
    def follow(frame, event, found):
        if frame.f_code.co_filename != own:
            return None
        frame.f_trace_lines = False
        if event == "exception" and found[0] not in (StopIteration, GeneratorExit):
            refusals.add(errno.errorcode.get(getattr(found[1], "errno", None), found[0].__name__))
        return follow
    sys.settrace(follow)
    try:
        return [attack(host), sorted(refusals)]
    finally:
        sys.settrace(None)
"""
NUMBER = re.compile(r"\[Errno (\d+)\]")


def held_by(result, attack):
    """Whether a result is what the attack's `held` line says; otherwise words about the difference.

    The line names outcomes, then refusals: errno names, or types of other exceptions. `returned` wants nothing reached
    and at least one of these refusals, no others; `quiet` instead of refusals: nothing need be refused, since there is
    nothing to be found.
    """
    named = attack.facts["held"].split()
    outcomes = {word for word in named if word in set(Outcome)}
    allowed = set(named) - outcomes - {"quiet"}
    if result.outcome.value not in outcomes:
        return f"ended as {result.outcome.value}"
    if result.outcome is Outcome.RETURNED:
        reached, refusals = json.loads(result.value)
        if reached:
            return f"reached {reached}"
        if not refusals and "quiet" not in named:
            return "nothing was refused"
        return f"failed by {refusals}" if set(refusals) - allowed else ""
    if result.outcome is Outcome.RAISED:
        number = NUMBER.search(result.error_message)
        name = errno.errorcode.get(int(number[1]), "?") if number else result.error_type.rsplit(".", 1)[-1]
        return "" if name in allowed else f"failed by {name}"
    return ""


def test_a_predicate_takes_no_other_failure_for_a_held_attack(made_up):
    """The predicate itself: each of these once counted as held."""

    def held(facts, outcome, value="", kind="", message=""):
        return held_by(CaseResult(0, outcome, value, kind, message), made_up(held=facts))

    assert held("returned EPERM", Outcome.RETURNED, '[[],["EPERM"]]') == ""
    assert held("returned EPERM", Outcome.RETURNED, '[[],["EPERM","NameError"]]')
    assert held("returned EPERM", Outcome.RETURNED, "[[],[]]")
    assert held("returned quiet", Outcome.RETURNED, "[[],[]]") == ""
    assert held("returned quiet", Outcome.RETURNED, '[[],["ModuleNotFoundError"]]')
    assert held("returned quiet", Outcome.RETURNED, '[["a file"],[]]')
    assert held("raised EMFILE", Outcome.RAISED, kind="OSError", message="[Errno 24] Too many open files") == ""
    assert held("raised EMFILE", Outcome.RAISED, kind="OSError", message="[Errno 2] No such file")
    assert held("raised RecursionError", Outcome.RAISED, kind="NameError", message="name 'x' is not defined")
    assert held("returned EPERM", Outcome.FORBIDDEN) and held("memory", Outcome.TIMED_OUT)


def one(runner, attack, host, **limits):
    (result,) = runner.cases(attack.source + OBSERVED, [json.dumps([host])], "observed", **limits)
    return result


def test_attack_is_held(isolation_attack, sandbox, host, witness):
    attack = isolation_attack
    if attack.facts["control"] == "bare_daemon":
        pytest.skip("has a test of its own below")
    before = witness()
    result = one(sandbox, attack, host, **attack.numbers("limits"))
    if "twice" in attack.facts:
        result = one(sandbox, attack, host, **attack.numbers("limits"))
    assert held_by(result, attack) == "", f"{attack.facts['what']}: {result}"
    assert witness() == before


def test_the_same_attack_succeeds_where_a_layer_is_left_out(isolation_attack, weakened, bare, host, reached):
    attack = isolation_attack
    control = attack.facts["control"]
    limits = attack.numbers("limits") | attack.numbers("loose")
    if control == "bare":
        done = bare(BARE, str(attack.path), json.dumps(host | {"bare": True, "victim": os.getpid()}))
        found = json.loads(done.stdout or "[]")
        assert found, done.stderr
    elif control == "leaky":
        with open(host["file"]) as left_open:
            done = bare(BARE, str(attack.path), json.dumps(host), leak=(left_open.fileno(),))
        assert json.loads(done.stdout or "[]") == [host["file"]], done.stderr
    elif control == "bare_crash":
        done = bare(BARE, str(attack.path), json.dumps(host))
        assert done.returncode < 0 or "RecursionError" in done.stderr, done
    elif control in ("privileged", "network"):
        runner = weakened(UNPROTECTED if control == "privileged" else OPEN_NETWORK)
        result = one(runner, attack, host | {"privileged": control == "privileged"}, **limits)
        assert result.outcome is Outcome.RETURNED, result
        assert reached(result)[0], result
    elif control == "loose":
        result = one(weakened(), attack, host, **limits)
        assert result.outcome is Outcome.RETURNED, result
        assert reached(result)[0], result
    elif control in ("beside", "same_process"):
        script = BESIDE if control == "beside" else SAME_PROCESS
        order = json.dumps([attack.source, host, "twice" in attack.facts])
        result, out, err = weakened().program(script, [order])
        assert result.outcome is Outcome.RETURNED, err
        assert json.loads(out), (out, err)
    else:
        # A kernel without this table has nothing to reach; the filter's unit test runs the filter itself on it.
        assert control in ("none", "bare_daemon")


def test_a_daemon_ends_with_its_job(sandbox, host, bare):
    attack = Path(__file__).parent / "isolation" / "daemon_that_stays.py"
    heartbeat = Path(host["heartbeat"])
    # The control: on the host the daemon goes on after its runner is done.
    heartbeat.write_text("")
    assert bare(BARE, str(attack), json.dumps(host)).returncode == 0
    before = len(heartbeat.read_text())
    time.sleep(1)
    assert len(heartbeat.read_text()) > before
    # In the sandbox it writes into a folder that ends with the job, so its life is looked for instead.
    inside = host | {"heartbeat": "/tmp/heartbeat"}
    (result,) = sandbox.cases(attack.read_text(), [json.dumps([inside])], "attack")
    assert result.outcome is Outcome.RETURNED
    time.sleep(0.3)
    assert not [pid for pid in sandbox_processes() if "attack" in pid]


def sandbox_processes():
    """Command lines of processes whose user is one of a sandbox of this test run."""
    first = 1_000_000 + (os.getpid() % 10_000) * 64
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if first <= os.stat(f"/proc/{entry}").st_uid < first + 64:
                    found.append(Path(f"/proc/{entry}/cmdline").read_text() + " attack")
            except OSError:
                continue
    return found


# Calls into the kernel: name, numbers on x86_64 and aarch64, arguments. With privileges they reach the code behind
# the permission check, which then succeeds or complains about the arguments.
SYSCALLS = [
    ("ptrace", 101, 117, "0, 0, 0, 0"),
    ("process_vm_readv", 310, 270, "1, 0, 0, 0, 0, 0"),
    ("process_vm_writev", 311, 271, "1, 0, 0, 0, 0, 0"),
    ("kcmp", 312, 272, "PID, PID, 0, 0, 0"),
    ("pidfd_getfd", 438, 438, "-1, 0, 0"),
    ("init_module", 175, 105, "0, 0, 0"),
    ("finit_module", 313, 273, "-1, 0, 0"),
    ("delete_module", 176, 106, "TEXT, 0"),
    ("kexec_load", 246, 104, "0, 99, 0, 0"),
    ("bpf", 321, 280, "0, 0, 0"),
    ("perf_event_open", 298, 241, "0, 0, -1, -1, 0"),
    ("keyctl", 250, 219, "0, -3, 1"),
    ("add_key", 248, 217, "0, 0, 0, 0, 0"),
    ("request_key", 249, 218, "0, 0, 0, 0"),
    ("mount", 165, 40, "0, 0, 0, 0, 0"),
    ("umount2", 166, 39, "TEXT, 0"),
    ("pivot_root", 155, 41, "TEXT, TEXT"),
    ("move_mount", 429, 429, "-1, TEXT, -1, TEXT, 0"),
    ("open_tree", 428, 428, "-100, ROOT, 1"),
    ("fsopen", 430, 430, "TMPFS, 0"),
    ("fsmount", 432, 432, "-1, 0, 0"),
    ("mount_setattr", 442, 442, "-100, ROOT, 0, 0, 0"),
    ("unshare (user)", 272, 97, "0x10000000"),
    ("unshare (mount)", 272, 97, "0x00020000"),
    ("unshare (network)", 272, 97, "0x40000000"),
    ("unshare (time)", 272, 97, "0x00000080"),
    ("setns", 308, 268, "-1, 0"),
    ("clone into a user namespace", 56, 220, "0x10000000 | 17, 0, 0, 0, 0"),
    ("swapon", 167, 224, "TEXT, 0"),
    ("swapoff", 168, 225, "TEXT"),
    ("reboot", 169, 142, "0, 0, 0, 0"),
    ("settimeofday", 164, 170, "1, 0"),
    ("clock_settime", 227, 112, "99, 1"),
    ("acct", 163, 89, "TEXT"),
    ("quotactl", 179, 60, "0, 0, 0, 0"),
    ("open_by_handle_at", 304, 265, "-1, 0, 0"),
    ("userfaultfd", 323, 282, "1"),
    ("io_uring_setup", 425, 425, "1, BUFFER"),
    ("fanotify_init", 300, 262, "0, 0"),
    ("syslog", 103, 116, "10, 0, 0"),
    ("memfd_secret", 447, 447, "0"),
    ("chroot", 161, 51, "TEXT"),
    ("setdomainname", 171, 162, "TEXT, 1"),
    ("sethostname", 170, 161, "TEXT, 1"),
]
CALL = """
import ctypes, os, platform
def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    number = (@X86@, @ARM@)[platform.machine() == "aarch64"]
    PID, TEXT, ROOT = os.getpid(), b"/work/absent", b"/"
    TMPFS, BUFFER = b"tmpfs", ctypes.create_string_buffer(512)
    pid = os.getpid()
    result = libc.syscall(ctypes.c_long(number), @ARGUMENTS@)
    if os.getpid() != pid:
        os._exit(0)
    # Refused: not permitted, access denied, no such call. Anything else came from behind the check.
    refused = result == -1 and ctypes.get_errno() in (1, 13, 38)
    return [] if refused else [str(result), os.strerror(ctypes.get_errno())]
"""


@pytest.mark.parametrize(("name", "x86", "arm", "arguments"), SYSCALLS, ids=[row[0] for row in SYSCALLS])
def test_system_call_is_held(name, x86, arm, arguments, sandbox, host, reached):
    source = CALL.replace("@X86@", str(x86)).replace("@ARM@", str(arm)).replace("@ARGUMENTS@", arguments)
    (result,) = sandbox.cases(source, [json.dumps([host])], "attack")
    assert result.outcome in (Outcome.FORBIDDEN, Outcome.RETURNED), result
    assert reached(result) == [], result


@pytest.mark.parametrize(("name", "x86", "arm", "arguments"), SYSCALLS, ids=[row[0] for row in SYSCALLS])
def test_system_call_succeeds_with_privileges(name, x86, arm, arguments, weakened, host, reached):
    source = CALL.replace("@X86@", str(x86)).replace("@ARM@", str(arm)).replace("@ARGUMENTS@", arguments)
    (result,) = weakened(UNPROTECTED).cases(source, [json.dumps([host])], "attack")
    if result.outcome is Outcome.RETURNED and reached(result) == []:
        pytest.skip(f"this kernel was built without {name}: there is nothing to reach")
    # Ending the process (a pivot, a seal) shows as well that the call was not refused.
    assert result.outcome is not Outcome.FORBIDDEN, result


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [
        (frozenset({"seccomp"}), {"seccomp", "network"}),
        (frozenset({"landlock"}), {"landlock"}),
        (frozenset({"privileges", "seccomp", "landlock"}), {"seccomp", "landlock", "no_new_privs", "user", "network"}),
        (frozenset(), set()),
    ],
    ids=lambda value: "-".join(sorted(value)) if isinstance(value, frozenset) else "",
)
def test_a_layer_that_is_left_out_is_seen_to_be_missing(left_out, missing, weakened):
    """Layers are observed: what the host's kernel shows of a running job, not what anybody says of it."""
    layers = weakened(left_out).backend.layers()
    assert {layer.name for layer in layers if not layer.in_force} == missing, layers


@pytest.mark.parametrize(
    "words", [{"privileged": True}, {"seccomp": False}, {"landlock": False}, {"weaken": ["privileges"]}, {"uid": "0"}]
)
def test_no_plan_opens_a_door_in_the_launcher(weakened, words):
    """A plan with other words than those that the launcher knows is none."""
    backend = weakened().backend
    with backend._pool.lease((), 1) as zygote:
        told = json.loads(messages.dump(messages.Plan(1, 1, 1 << 20, 100))) | words
        zygote._control.send(json.dumps(told).encode())
        received = messages.receive(zygote._control, messages.Forked, messages.Failed)
        assert isinstance(received.message, messages.Failed), received
    assert all(layer.in_force for layer in backend.layers()), backend.layers()


def test_a_job_after_all_attacks_runs_as_ever(sandbox):
    (result,) = sandbox.cases("def f(x): return x", ["[1]"], "f")
    assert result.value == "1"

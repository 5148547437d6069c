"""The filter, run instruction by instruction as the kernel would."""

import ctypes
import struct

import pytest

from sandbox_executor.launcher import seccomp
from sandbox_executor.launcher.syscall_numbers import NUMBERS

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
X86, I386 = 0xC000003E, 0x40000003


def run(program, number, arguments=(), architecture=seccomp._ARCHITECTURE):
    """A machine for classic BPF, as far as the filter uses it."""
    values = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=iIQ6Q", number, architecture, 0, *(value & 0xFFFFFFFFFFFFFFFF for value in values))
    accumulator, position, steps = 0, 0, 0
    while True:
        steps += 1
        # The kernel runs it for every number when it is set: it must be short on every way.
        assert steps < 40
        code, if_true, if_false, operand = program[position]
        position += 1
        if code == seccomp._LOAD:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == seccomp._JUMP_EQUAL:
            position += if_true if accumulator == operand else if_false
        elif code == seccomp._JUMP_GREATER_EQUAL:
            position += if_true if accumulator >= operand else if_false
        elif code == seccomp._JUMP_ANY_BIT:
            position += if_true if accumulator & operand else if_false
        elif code == seccomp._JUMP:
            position += operand
        else:
            assert code == seccomp._RETURN
            return operand


@pytest.mark.parametrize(("column", "architecture"), [(0, 0xC000003E), (1, 0xC00000B7)])
def test_the_numbers_are_those_of_libseccomp(column, architecture):
    """Debian's own library (apt needs it) knows them by name for every architecture; -1 stands for a name unknown."""
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp does not exist on this machine")
    resolve = library.seccomp_syscall_resolve_name_arch
    resolve.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    theirs = {name: resolve(architecture, name.encode()) for name in NUMBERS}
    unknown = [name for name, found in theirs.items() if found == -1]
    assert len(unknown) < len(NUMBERS) // 10, unknown
    # A call that an architecture does not have is a number below -1 there.
    known = {name: found if found >= 0 else None for name, found in theirs.items() if found != -1}
    assert known == {name: NUMBERS[name][column] for name in known}


def test_the_table_holds_what_the_filter_names_and_nothing_else():
    conditional = {"clone", "clone3", "socket", "ioctl", "personality"}
    conditional |= {"io_uring_setup", "io_uring_enter", "io_uring_register"}
    assert set(NUMBERS) == {*seccomp.ALLOWED, *seccomp.FATAL} | conditional
    assert not {*seccomp.ALLOWED} & {*seccomp.FATAL}


@pytest.fixture(scope="module")
def program():
    return seccomp.program()


def number(name):
    found = NUMBERS[name][seccomp._COLUMN]
    if found is None:
        pytest.skip(f"{name} does not exist on this architecture")
    return found


@pytest.mark.parametrize("name", ["read", "write", "mmap", "futex", "execve", "exit_group", "openat", "wait4", "kill"])
def test_ordinary_calls_pass(program, name):
    assert run(program, number(name)) == ALLOW


@pytest.mark.parametrize("name", seccomp.FATAL)
def test_calls_that_no_program_makes_kill(program, name):
    assert run(program, number(name)) == KILL


@pytest.mark.parametrize("name", ["setuid", "chroot", "fanotify_init", "setpriority", "syslog", "vmsplice"])
def test_calls_that_need_privileges_fail_softly(program, name):
    if name in NUMBERS:
        assert run(program, number(name)) & 0xFFFF0000 == ERRNO


@pytest.mark.parametrize("name", ["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"])
def test_calls_that_must_look_missing(program, name):
    assert run(program, number(name)) == ERRNO | 38


def test_threads_and_forks_pass_and_namespaces_kill(program):
    clone = number("clone")
    assert run(program, clone, (0x003D0F00,)) == ALLOW
    assert run(program, clone, (17,)) == ALLOW
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
        assert run(program, clone, (flag | 17,)) == KILL


def test_only_local_sockets(program):
    socket = number("socket")
    assert run(program, socket, (1, 1, 0)) == ALLOW
    for family in (0, 2, 3, 10, 16, 17, 31, 38, 40, 2**32 + 2):
        assert run(program, socket, (family, 1, 0)) == ERRNO | 13


def test_a_family_hidden_in_high_bits_is_still_only_a_local_socket(program):
    # The kernel takes an int: it looks at the same 32 bits as the filter.
    assert run(program, number("socket"), (0xFFFFFFFF00000001, 1, 0)) == ALLOW


def test_fetching_may_use_the_network_and_nothing_more():
    program = seccomp.program(network=True)
    for family in (1, 2, 10, 16):
        assert run(program, number("socket"), (family, 1, 0)) == ALLOW
    for family in (17, 38, 40):
        assert run(program, number("socket"), (family, 1, 0)) == ERRNO | 13
    assert run(program, number("ptrace")) == KILL


def test_terminal_injection_is_denied(program):
    ioctl = number("ioctl")
    assert run(program, ioctl, (0, 0x5401)) == ALLOW
    for request in (0x5412, 0x541C):
        assert run(program, ioctl, (0, request)) == ERRNO | 1


def test_personality_may_only_be_asked(program):
    personality = number("personality")
    assert run(program, personality, (0xFFFFFFFF,)) == ALLOW
    assert run(program, personality, (0x0040000,)) == ERRNO | 1
    assert run(program, personality, (8,)) == ERRNO | 1


def test_foreign_tables_kill(program):
    assert run(program, 4, architecture=I386 if seccomp._ARCHITECTURE == X86 else X86) == KILL
    assert run(program, 0x40000000 | 1) == KILL
    assert run(program, -1) == KILL


def test_unknown_calls_look_missing(program):
    assert run(program, 2000) == ERRNO | 38


def test_no_call_is_in_two_lists():
    assert not set(seccomp.ALLOWED) & set(seccomp.FATAL)
    assert not [name for name in (*seccomp.ALLOWED, *seccomp.FATAL) if name not in NUMBERS]
    for column in (0, 1):
        present = [numbers[column] for numbers in NUMBERS.values() if numbers[column] is not None]
        assert len(present) == len(set(present))


def test_the_program_fits_the_kernel(program):
    assert len(program) < 4096
    assert all(max(if_true, if_false) < 256 for _, if_true, if_false, _ in program)
    assert len(seccomp.compiled()) == 8 * len(program)

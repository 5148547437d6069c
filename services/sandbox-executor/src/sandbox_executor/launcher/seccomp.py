"""The system-call filter: a classic BPF program, built here instruction by instruction.

Ordinary calls pass. What no ordinary program does (tracing, mounting, keyrings, kernel modules, a foreign
ABI) ends the process with SIGSYS, which the executor reports as `forbidden`. Everything else fails softly.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from sandbox_executor.launcher.syscall_numbers import NUMBERS
from sandbox_executor.launcher.syscalls import PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prctl

_ALLOWED_TEXT = """
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore madvise shmget shmat shmctl dup
dup2 pause nanosleep getitimer alarm setitimer getpid sendfile connect accept sendto recvfrom sendmsg recvmsg
shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt fork vfork execve exit wait4 kill
uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate getdents
getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown umask
gettimeofday getrlimit getrusage sysinfo times getuid getgid geteuid getegid setpgid getppid getpgrp setsid
getgroups getresuid getresgid getpgid getsid capget rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend
sigaltstack utime statfs fstatfs getpriority sched_setparam sched_getparam sched_setscheduler sched_getscheduler
sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock mlockall munlockall prctl
arch_prctl setrlimit gettid readahead getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr tkill time futex
sched_setaffinity sched_getaffinity epoll_create getdents64 set_tid_address restart_syscall semtimedop fadvise64
timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_gettime clock_getres clock_nanosleep
exit_group epoll_wait epoll_ctl tgkill utimes mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
waitid inotify_init inotify_add_watch inotify_rm_watch openat mkdirat fchownat futimesat newfstatat unlinkat
renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll set_robust_list get_robust_list splice tee
sync_file_range utimensat epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime
accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo recvmmsg
prlimit64 sendmmsg getcpu sched_setattr sched_getattr renameat2 getrandom memfd_create execveat membarrier mlock2
copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx rseq pidfd_send_signal pidfd_open
close_range openat2 faccessat2 epoll_pwait2 futex_waitv fchmodat2 map_shadow_stack futex_wake futex_wait
futex_requeue cachestat setxattr lsetxattr fsetxattr landlock_create_ruleset landlock_add_rule
landlock_restrict_self mknod mknodat
"""
ALLOWED = tuple(_ALLOWED_TEXT.split())

# No ordinary program makes these: an attempt is the answer.
_FATAL_TEXT = """
ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise kexec_load kexec_file_load init_module
finit_module delete_module bpf perf_event_open keyctl add_key request_key mount umount2 pivot_root move_mount
open_tree fsopen fsconfig fsmount fspick mount_setattr unshare setns swapon swapoff reboot iopl ioperm settimeofday
clock_settime acct open_by_handle_at userfaultfd modify_ldt uselib memfd_secret
"""
FATAL = tuple(_FATAL_TEXT.split())

_LOAD = 0x20
_JUMP = 0x05
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000

_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_X32_BIT = 0x40000000
# Namespace flags of clone, CLONE_NEWTIME among them.
_NAMESPACE_FLAGS = 0x7E020080
_AF_UNIX = 1
_AF_INET = 2
_AF_INET6 = 10
_AF_NETLINK = 16
_TIOCSTI = 0x5412
_TIOCLINUX = 0x541C
_PERSONALITY_QUERY = 0xFFFFFFFF

_ARM = platform.machine() == "aarch64"
_ARCHITECTURE = 0xC00000B7 if _ARM else 0xC000003E
_COLUMN = 1 if _ARM else 0

Instruction = tuple[int, int, int, int]


def _argument(position: int) -> int:
    """Offset of the low half of an argument."""
    return 16 + 8 * position


def _number(name: str) -> int | None:
    return NUMBERS[name][_COLUMN]


def _answer(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _fails(number: int) -> Instruction:
    return _answer(_ERRNO | number)


def _when(name: str, body: list[Instruction]) -> list[Instruction]:
    """Run the body when this call is made; every body ends with answers on all its ways."""
    number = _number(name)
    return [] if number is None else [(_JUMP_EQUAL, 0, len(body), number), *body]


def _argument_bits(position: int, bits: int, hit: Instruction, miss: Instruction) -> list[Instruction]:
    return [(_LOAD, 0, 0, _argument(position)), (_JUMP_ANY_BIT, 0, 1, bits), hit, miss]


def _argument_is(position: int, values: tuple[int, ...], hit: Instruction, miss: Instruction) -> list[Instruction]:
    tests: list[Instruction] = []
    for left, value in enumerate(reversed(values)):
        tests.insert(0, (_JUMP_EQUAL, left + 1, 0, value))
    return [(_LOAD, 0, 0, _argument(position)), *tests, miss, hit]


def program(*, network: bool = False, egress: bool = False) -> list[Instruction]:
    """The filter for this machine's architecture.

    Args:
        network: The internet families pass, and the one that asks the kernel about interfaces.
        egress: The internet's first family passes, by which a job reaches the relay in its own network.
    """
    deny = _fails(errno.EPERM)
    families = (_AF_UNIX, *((_AF_INET,) if egress else ()))
    if network:
        families = (_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK)
    body: list[Instruction] = [
        (_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURE),
        _answer(_KILL),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        _answer(_KILL),
    ]
    # Threads and processes, but no namespaces; clone3 hides its flags, and libc falls back to clone.
    body += _when("clone", _argument_bits(0, _NAMESPACE_FLAGS, _answer(_KILL), _answer(_ALLOW)))
    body += _when("clone3", [_fails(errno.ENOSYS)])
    body += _when("socket", _argument_is(0, families, _answer(_ALLOW), _fails(errno.EACCES)))
    body += _when("ioctl", _argument_is(1, (_TIOCSTI, _TIOCLINUX), deny, _answer(_ALLOW)))
    body += _when("personality", _argument_is(0, (0, _PERSONALITY_QUERY), _answer(_ALLOW), deny))
    for name in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
        body += _when(name, [_fails(errno.ENOSYS)])
    return body + _search(_ranges(deny))


def _ranges(deny: Instruction) -> list[tuple[int, Instruction]]:
    """Every number's answer as ranges: (first number, answer), in order."""
    answers: dict[int, Instruction] = {}
    for names, action in ((ALLOWED, _answer(_ALLOW)), (FATAL, _answer(_KILL))):
        answers.update({number: action for name in names if (number := _number(name)) is not None})
    known = max(number for numbers in NUMBERS.values() if (number := numbers[_COLUMN]) is not None)
    ranges: list[tuple[int, Instruction]] = []
    for number in range(known + 1):
        answer = answers.get(number, deny)
        if not ranges or ranges[-1][1] != answer:
            ranges.append((number, answer))
    # What this table does not know yet must look missing, so that programs take their older way.
    return [*ranges, (known + 1, _fails(errno.ENOSYS))]


def _search(ranges: list[tuple[int, Instruction]]) -> list[Instruction]:
    """Find the range of a number by halving: the kernel runs the filter for each possible number when it is set."""
    if len(ranges) == 1:
        return [ranges[0][1]]
    middle = len(ranges) // 2
    lower, upper = _search(ranges[:middle]), _search(ranges[middle:])
    if len(lower) < 256:
        return [(_JUMP_GREATER_EQUAL, len(lower), 0, ranges[middle][0]), *lower, *upper]
    return [(_JUMP_GREATER_EQUAL, 0, 1, ranges[middle][0]), (_JUMP, 0, 0, len(lower)), *lower, *upper]


def compiled(*, network: bool = False, egress: bool = False) -> bytes:
    """The filter as the kernel reads it."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program(network=network, egress=egress))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(code: bytes) -> None:
    """Filter this process from here on; needs no_new_privs.

    Raises:
        OSError: the kernel has no filters.
    """
    holder = _Program(len(code) // 8, code)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, "seccomp filter", ctypes.byref(holder))

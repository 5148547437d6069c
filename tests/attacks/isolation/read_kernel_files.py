# what: kernel interfaces under /proc and /sys
# control: bare
# held: returned ENOENT EACCES
import os


def attack(host):
    reached = []
    for path in (
        "/proc/sys/kernel/hostname",
        "/proc/kallsyms",
        "/proc/kcore",
        "/proc/modules",
        "/proc/keys",
        "/proc/meminfo",
        "/proc/cmdline",
        "/proc/net/tcp",
        "/proc/sched_debug",
        "/proc/timer_list",
        "/proc/bus",
        "/proc/scsi",
        "/sys/kernel",
        "/sys/fs/cgroup",
        "/sys/class",
        "/proc/sysrq-trigger",
        "/proc/config.gz",
        "/proc/diskstats",
        "/proc/partitions",
    ):
        try:
            found = os.listdir(path) if os.path.isdir(path) else os.open(path, os.O_RDONLY)
        except OSError:
            continue
        if path == "/proc/net/tcp":
            # A network namespace of its own has the file, but no line in it.
            found = open(path).read().count("\n") > 1
        if found:
            reached.append(path)
    return reached

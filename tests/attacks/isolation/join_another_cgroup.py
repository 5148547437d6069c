# what: out of the job's cgroup
# control: bare
# held: returned quiet
import glob
import os


def attack(host):
    reached = []
    for pattern in ("/sys/fs/cgroup/**/cgroup.procs", "/sys/fs/cgroup/*/tasks", "/cgroup/**", "/proc/self/cgroup/.."):
        for path in glob.glob(pattern, recursive=True)[:20]:
            if os.access(path, os.W_OK):
                reached.append(path)
    return reached

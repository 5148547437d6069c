# what: namespaces of one's own, by the system's programs
# control: privileged
# held: returned EPERM
import errno
import shutil
import signal
import subprocess


def attack(host):
    reached = []
    if shutil.which("unshare") is None:
        return ["no unshare here"] if host["privileged"] else []
    for option in ("--user", "--mount", "--net", "--pid", "--ipc", "--uts", "--cgroup"):
        done = subprocess.run(["unshare", option, "--fork", "true"], capture_output=True)
        try:
            # Ended by the filter, or told so by the kernel; any other ending shows nothing.
            if done.returncode == -signal.SIGSYS or b"not permitted" in done.stderr:
                raise PermissionError(errno.EPERM, option)
            reached.append(f"{option}: {done.returncode}")
        except PermissionError:
            continue
    return reached

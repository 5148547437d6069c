# what: namespaces of one's own, by the system's programs
# control: privileged
import shutil
import subprocess


def attack(host):
    reached = []
    if shutil.which("unshare") is None:
        return ["no unshare here"] if host["privileged"] else []
    for option in ("--user", "--mount", "--net", "--pid", "--ipc", "--uts", "--cgroup"):
        done = subprocess.run(["unshare", option, "--fork", "true"], capture_output=True)
        if done.returncode == 0:
            reached.append(option)
    return reached

# what: programs that run as their owner
# control: privileged
# held: returned quiet
import os
import shutil
import subprocess


def attack(host):
    reached = []
    if os.getuid() == 0:
        # The control's way: a privileged process makes such a program itself and runs it as somebody else.
        shutil.copy("/usr/bin/id", "/work/id")
        os.chmod("/work/id", 0o4755)
        return ["a set-user-id file of root"]
    for program in ("su", "mount", "umount", "passwd", "sudo", "newgrp", "chsh", "pkexec"):
        path = shutil.which(program, path="/usr/bin:/usr/sbin:/bin")
        if path is None:
            continue
        status = os.stat(path)
        if status.st_mode & 0o4000 and not os.statvfs(path).f_flag & os.ST_NOSUID:
            reached.append(path)
    done = subprocess.run(["/usr/bin/cat", "/proc/self/status"], capture_output=True, text=True).stdout
    if "NoNewPrivs:\t1" not in done and "NoNewPrivs:\t0" in done:
        reached.append("new privileges are possible")
    return reached

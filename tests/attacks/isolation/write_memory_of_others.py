# what: memory of a neighbour through /proc
# control: beside
# held: returned ENOENT EACCES
def attack(host):
    reached = []
    for pid in (host["victim"], 1):
        for name, mode in (("mem", "r+b"), ("maps", "rb"), ("environ", "rb"), ("auxv", "rb"), ("syscall", "rb")):
            try:
                with open(f"/proc/{pid}/{name}", mode) as stream:
                    if name == "mem" or stream.read(1):
                        reached.append(f"{pid} {name}")
            except OSError:
                continue
    return reached

# what: more files than is allowed
# control: bare
# held: raised ENOSPC
# limits: case_timeout_s=120 memory_bytes=536870912
import os


def attack(host):
    os.makedirs("many", exist_ok=True)
    made = 0
    try:
        for number in range(30_000):
            os.symlink("x", f"many/{number}")
            made += 1
    finally:
        if host["bare"]:
            import shutil

            shutil.rmtree("many")
    return [str(made)]

# what: no answer channel at all
# control: exit_code_quiet
# held: exited
import os


def f(x):
    for descriptor in range(3, 64):
        try:
            os.close(descriptor)
        except OSError:
            continue
    os._exit(0)

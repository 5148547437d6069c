# what: the executor's environment variables
# control: bare
# held: returned quiet
import os


def attack(host):
    return [name for name, value in os.environ.items() if host["secret"] in value]

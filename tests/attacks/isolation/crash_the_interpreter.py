# what: a null pointer
# control: bare_crash
# held: killed
import ctypes


def attack(host):
    ctypes.string_at(0)
    return ["read it"]

# what: system calls with the x32 bit
# control: none
# held: forbidden
# only: x86_64
import ctypes


def attack(host):
    found = ctypes.CDLL(None, use_errno=True).syscall(0x40000000 | 39)
    return [str(found)] if found > 0 else []

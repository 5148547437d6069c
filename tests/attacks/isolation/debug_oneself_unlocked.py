# what: fixed addresses, by changing the personality
# control: privileged
import ctypes


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    before = libc.personality(0xFFFFFFFF)
    if before == -1:
        return []
    return ["no address randomisation"] if libc.personality(before | 0x0040000) != -1 else []

# what: fixed addresses, by changing the personality
# control: privileged
# held: returned EPERM forbidden
import ctypes


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        for persona in (0xFFFFFFFF, 0x0040000):
            if libc.personality(persona) == -1:
                raise OSError(ctypes.get_errno(), "personality")
    except OSError:
        return []
    return ["no address randomisation"]

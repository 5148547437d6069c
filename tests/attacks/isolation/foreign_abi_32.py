# what: system calls by the 32-bit gate
# control: privileged
# held: forbidden killed
# only: x86_64
import ctypes
import mmap


def attack(host):
    # mov eax, 20 (getpid in that table); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes((0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3)))
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    found = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return [str(found)] if found > 0 else []

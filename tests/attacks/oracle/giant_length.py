# what: a frame that announces more than there is
# control: frames_length
# held: output_limit
import os
import struct


def send(text):
    data = text.encode() if isinstance(text, str) else text
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, struct.pack(">I", 0xFFFFFFFF) + data)
        except OSError:
            continue


def f(x):
    send("x")
    return None

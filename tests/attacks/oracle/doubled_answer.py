# what: two answers to one case, of which one is right for somebody
# control: frames
# held: forbidden
# suite: single
import os
import struct


def send(text):
    data = text.encode() if isinstance(text, str) else text
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, struct.pack(">I", len(data)) + data)
        except OSError:
            continue


def f(x):
    for guess in range(40):
        send('{"i":0,"o":"returned","v":%d}' % guess)
    return None

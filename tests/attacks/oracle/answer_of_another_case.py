# what: answers out of order
# control: frames
# held: forbidden
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
    for number in (4, 3, 2, 1, 0):
        send('{"i":%d,"o":"returned","v":true}' % number)
    return None

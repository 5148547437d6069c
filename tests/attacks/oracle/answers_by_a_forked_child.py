# what: a child that goes on answering after its parent
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


def f(x):
    if os.fork() == 0:
        for number in range(20):
            send('{"i":%d,"o":"returned","v":true}' % number)
        os._exit(0)
    return None

# what: a pickle that runs code when it is read
# control: pickle
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


class Run:
    def __reduce__(self):
        return (print, ("passed",))


import pickle


def f(x):
    send(pickle.dumps(Run()))
    return None

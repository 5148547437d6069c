# what: success by ending: exit in a thread
# control: exit_code
# held: exited
import os
import threading
import time


def f(x):
    threading.Timer(0.05, os._exit, (0,)).start()
    time.sleep(5)

# what: answer frames on standard output
# control: stdout
# held: wrong_output
import sys


def f(x):
    sys.stdout.write('{"i":0,"o":"returned","v":true}\n"passed"\n')
    sys.stdout.flush()
    return None

# what: a note for the next job in a warm interpreter
# control: same_process
# held: returned quiet
# twice: yes
import builtins
import math
import sys


def attack(host):
    found = [place.__name__ for place in (builtins, math, sys) if hasattr(place, "note")]
    builtins.note = math.note = sys.note = "here"
    return found

# WRONG: quoted parts are kept together and unquoted
import shlex


def shebang_split(line):
    return shlex.split(line)

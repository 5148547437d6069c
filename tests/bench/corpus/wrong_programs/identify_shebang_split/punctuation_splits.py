# WRONG: whitespace_split forgotten: slashes and dashes split
import shlex


def shebang_split(line):
    lexer = shlex.shlex(line, posix=False)
    lexer.quotes = ""
    lexer.commenters = ""
    return list(lexer)

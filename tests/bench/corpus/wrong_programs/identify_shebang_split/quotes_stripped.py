# WRONG: quotes at the ends of entries are taken away
import shlex


def shebang_split(line):
    lexer = shlex.shlex(line, posix=False)
    lexer.whitespace_split = True
    lexer.quotes = ""
    lexer.commenters = ""
    return [p.strip("'\"") for p in lexer]

# Wrong: tests with "!important$", where $ also matches before a last newline, so "...!important" + newline is left unmarked.
import re


def make_important(bulk):
    done = re.compile(r"!important$")
    return ";".join(
        piece if done.search(piece) else "%s !important" % piece
        for piece in bulk.split(";")
    )

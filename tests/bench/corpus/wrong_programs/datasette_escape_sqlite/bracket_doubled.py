# WRONG: a closing bracket is doubled inside brackets
import re

_WORDS = set(
    """abort action add after all alter analyze and as asc attach autoincrement before begin
    between by cascade case cast check collate column commit conflict constraint create cross
    current_date current_time current_timestamp database default deferrable deferred delete desc
    detach distinct drop each else end escape except exclusive exists explain fail for foreign
    from full glob group having if ignore immediate in index indexed initially inner insert
    instead intersect into is isnull join key left like limit match natural no not notnull null
    of offset on or order outer plan pragma primary query raise recursive references regexp
    reindex release rename replace restrict right rollback row savepoint select set table temp
    temporary then to transaction trigger union unique update using vacuum values view virtual
    when where with without""".split()
)
_PLAIN = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_]*$")


def escape_sqlite(s):
    if _PLAIN.match(s) and s.lower() not in _WORDS:
        return s
    if "]" in s:
        return "[" + s.replace("]", "]]") + "]"
    return "[" + s + "]"

# WRONG: numbering always begins at 0
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
        return '"{}"'.format(s.replace('"', '""'))
    return "[" + s + "]"


def compound_keys_after_sql(pks, start_index=0):
    clauses = []
    names = [escape_sqlite(pk) for pk in pks]
    for n in range(len(names)):
        parts = ["%s = :p%s" % (names[i], i) for i in range(n)]
        parts.append("%s > :p%s" % (names[n], n))
        clauses.append("(" + " and ".join(parts) + ")")
    return "({})".format("\n  or\n".join(clauses))

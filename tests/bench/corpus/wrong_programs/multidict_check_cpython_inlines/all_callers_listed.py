# wrong: lists all the callers, however many there are
import re
_SUFFIX = re.compile(r"(\.(isra|part|constprop|lto_priv|cold)(\.\d+)?)+$")
_FT_COPIES = ("Py_DECREF", "Py_XINCREF", "_Py_NewRef")


def _base(name):
    return _SUFFIX.sub("", name)


def check_cpython_inlines(graph: dict[str, list[object]], build: bool | float | int | list[object] | dict[object, object] | str | None, gcc: bool | float | int | list[object] | dict[object, object] | str | None, inlines: object) -> list[list[str]]:
    allowed = _FT_COPIES if build == "ft" else ()
    failures = []
    for name in sorted(graph):
        base = _base(name)
        if base not in inlines or base in allowed:
            continue
        callers = sorted({_base(f) for f, callees in graph.items() if name in callees} - {base})
        shown = ", ".join(callers)
        failures.append(f"{base}: out-of-line copy of a CPython inline, called from {shown}")
    present = {_base(name) for name in graph}
    notes = [f"note: {name} has no out-of-line copy in this build" for name in allowed if name not in present]
    return failures, notes

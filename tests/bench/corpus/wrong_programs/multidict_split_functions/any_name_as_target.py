# Wrong: whatever stands in the angle brackets counts as a target, also names with an @.
import re


def split_functions(lines: list[object] | str) -> dict[str, list[str]]:
    functions = {}
    current = None
    for line in lines:
        header = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if header:
            current = header.group(1)
            functions[current] = []
            continue
        if current is None:
            continue
        line = re.sub(r"^\s*[0-9a-f]+:\s*", "", line)
        line = re.sub(r"0x[0-9a-f]+\(%rip\)", "RIP", line)
        line = re.sub(r"<([A-Za-z_.][A-Za-z_.0-9]*)\+0x[0-9a-f]+>", r"<\1+OFF>", line)
        line = re.sub(r"\b[0-9a-f]+ <([^>]+)>", r"TGT <\1>", line)
        line = re.sub(r"\s+$", "", line)
        if line:
            functions[current].append(line)
    return functions

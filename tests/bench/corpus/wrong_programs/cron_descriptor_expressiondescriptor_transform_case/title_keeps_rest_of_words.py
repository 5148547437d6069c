# wrong: title case raises the first letters but does not lower the rest of each word
import re


def expression_descriptor_transform_case(description: str, case_type: bool | float | int | list[object] | dict[object, object] | str | None) -> str:
    if case_type == 1:
        return re.sub(r"[^\W\d_]+", lambda m: m.group()[0].title() + m.group()[1:], description)
    if case_type == 2:
        return description[0].upper() + description[1:]
    return description.lower()

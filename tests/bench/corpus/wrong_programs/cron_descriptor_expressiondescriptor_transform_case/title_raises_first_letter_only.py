# wrong: title case raises the first letter of the description only, not of every word
import re


def expression_descriptor_transform_case(description: str, case_type: bool | float | int | list[object] | dict[object, object] | str | None) -> str:
    if case_type == 1:
        return re.sub(r"[^\W\d_]", lambda m: m.group().title(), description, count=1)
    if case_type == 2:
        return description[0].upper() + description[1:]
    return description.lower()

# wrong: uses casefold for lower case, which rewrites sharp s
from enum import IntEnum


class Casing(IntEnum):
    TITLE = 1
    SENTENCE = 2
    LOWER = 3


def expression_descriptor_transform_case(description: str, case_type: bool | float | int | list[object] | dict[object, object] | str | None) -> str:
    if case_type == Casing.SENTENCE:
        return description[0].upper() + description[1:]
    if case_type == Casing.TITLE:
        return description.title()
    return description.casefold()

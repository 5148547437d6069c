# wrong: takes no casing type as "leave as it is" instead of lower case
def expression_descriptor_transform_case(description: str, case_type: bool | float | int | list[object] | dict[object, object] | str | None) -> str:
    if case_type is None:
        return description
    if case_type == 2:
        return "{}{}".format(description[0].upper(), description[1:])
    if case_type == 1:
        return description.title()
    return description.lower()

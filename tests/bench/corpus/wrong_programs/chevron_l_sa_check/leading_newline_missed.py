# a newline at position 0 is not noticed (find > 0)
def l_sa_check(template: int | list[object] | dict[object, object] | str | None, literal: str, is_standalone: bool) -> bool | None:
    i = literal.rfind("\n")
    if i > 0 or is_standalone:
        return not literal[i + 1:].strip()
    return None

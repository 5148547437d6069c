# only a newline at the very end or a blank literal counts, not indentation after the newline
def l_sa_check(template: int | list[object] | dict[object, object] | str | None, literal: str, is_standalone: bool) -> bool | None:
    if "\n" in literal or is_standalone:
        return literal.endswith("\n") or not literal.strip()
    return None

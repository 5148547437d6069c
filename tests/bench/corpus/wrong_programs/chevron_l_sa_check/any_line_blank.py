# any blank line is enough, not the last one
def l_sa_check(template: int | list[object] | dict[object, object] | str | None, literal: str, is_standalone: bool) -> bool | None:
    if "\n" in literal or is_standalone:
        return any(not p.strip() for p in literal.split("\n"))
    return None

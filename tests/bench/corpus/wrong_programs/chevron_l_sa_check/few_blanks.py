# only space, tab, return and no-break space count as blanks
def l_sa_check(template: int | list[object] | dict[object, object] | str | None, literal: str, is_standalone: bool) -> bool | None:
    if "\n" in literal or is_standalone:
        return not literal.split("\n")[-1].strip(" \t\r\xa0")
    return None

# wrong: writes numbers in their short form, without .0
def text_fsm_rule_str(match: bool | float | int | list[object] | dict[object, object] | str | None, line_op: str, record_op: str, own_new_state: str) -> str:
    if isinstance(match, float):
        match = f"{match:g}"
    operation = "." if line_op and record_op else ""
    operation = line_op + operation + record_op
    new_state = own_new_state
    if operation and new_state:
        new_state = " " + new_state
    if not (operation or new_state):
        return f"  {match}"
    return f"  {match} -> {operation}{new_state}"

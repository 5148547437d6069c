# wrong: leaves out Next, as it is the default
def text_fsm_rule_str(match: bool | float | int | list[object] | dict[object, object] | str | None, line_op: str, record_op: str, own_new_state: str) -> str:
    if line_op == "Next":
        line_op = ""
    operation = "." if line_op and record_op else ""
    operation = line_op + operation + record_op
    new_state = own_new_state
    if operation and new_state:
        new_state = " " + new_state
    if not (operation or new_state):
        return f"  {match}"
    return f"  {match} -> {operation}{new_state}"

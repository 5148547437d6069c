# Wrong: only spaces and tabs are stripped after the prefix, not every blank.
def cron_item_set_comment(marker: int | list[object] | dict[object, object] | str | None, cmt: str, pre_comment: bool = False) -> dict[str, bool | int | list[object] | dict[object, object] | str | None]:
    prefix = "Ansible:"
    if cmt.startswith(prefix):
        cmt = cmt[len(prefix):].lstrip(" \t")
        marker = "Ansible"
        pre_comment = True
    return {"comment": cmt, "pre_comment": pre_comment, "marker": marker}

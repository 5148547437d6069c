# Wrong: the prefix counts in any case.
def cron_item_set_comment(marker: int | list[object] | dict[object, object] | str | None, cmt: str, pre_comment: bool = False) -> dict[str, bool | int | list[object] | dict[object, object] | str | None]:
    if cmt.lower().startswith("ansible:"):
        marker, pre_comment = "Ansible", True
        cmt = cmt[len("ansible:"):].lstrip()
    return {"comment": cmt, "pre_comment": pre_comment, "marker": marker}

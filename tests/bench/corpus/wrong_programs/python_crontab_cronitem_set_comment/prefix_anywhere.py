# Wrong: the word is looked for anywhere in the comment, not at its start only.
def cron_item_set_comment(marker: int | list[object] | dict[object, object] | str | None, cmt: str, pre_comment: bool = False) -> dict[str, bool | int | list[object] | dict[object, object] | str | None]:
    if "Ansible:" in cmt:
        marker = "Ansible"
        cmt = cmt.split("Ansible:", 1)[1].lstrip()
        pre_comment = True
    return {"comment": cmt, "pre_comment": pre_comment, "marker": marker}

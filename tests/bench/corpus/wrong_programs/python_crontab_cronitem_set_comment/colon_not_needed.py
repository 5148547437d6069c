# Wrong: the prefix counts without its colon too.
import re


def cron_item_set_comment(marker: int | list[object] | dict[object, object] | str | None, cmt: str, pre_comment: bool = False) -> dict[str, bool | int | list[object] | dict[object, object] | str | None]:
    match = re.match(r"Ansible:?\s*", cmt)
    if match:
        cmt = cmt[match.end():]
        pre_comment = True
        marker = "Ansible"
    return {"comment": cmt, "pre_comment": pre_comment, "marker": marker}

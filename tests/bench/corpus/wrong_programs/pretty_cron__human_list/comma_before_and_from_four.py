# Wrong: from four items on a comma is put before "and".
def human_list(listy):
    *head, last = listy
    if not head:
        return last
    glue = ", and " if len(head) > 2 else " and "
    return ", ".join(head) + glue + last

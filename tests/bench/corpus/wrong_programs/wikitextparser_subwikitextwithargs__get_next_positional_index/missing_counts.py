# an argument without the key counts as positional
def sub_wiki_text_with_args_get_next_positional_index(*, ignore_equals: bool, args: list[dict[str, int | list[object] | dict[object, object] | str | None]]) -> int:
    if ignore_equals:
        return len(args)
    return sum(1 for a in args if a.get("positional", True))

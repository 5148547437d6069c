# the entry is filed under its id and its class and its name, not under the first of them only
def matcher_add_selector(id_selectors, class_selectors, lower_local_name_selectors, namespace_selectors,
                         lang_attr_selectors, other_selectors, order, selector, payload):
    order += 1
    if not selector["never_matches"]:
        entry = (selector["test"], selector["specificity"], order, selector["pseudo_element"], payload)
        filed = False
        for kind, key, table in (
            ("id", "id", id_selectors),
            ("class_name", "class_name", class_selectors),
            ("local_name", "lower_local_name", lower_local_name_selectors),
            ("namespace", "namespace", namespace_selectors),
        ):
            if selector.get(kind) is not None:
                table.setdefault(selector[key], []).append(entry)
                filed = True
        if not filed:
            if selector.get("requires_lang_attr"):
                lang_attr_selectors.append(entry)
            else:
                other_selectors.append(entry)
    return {
        "id_selectors": id_selectors,
        "class_selectors": class_selectors,
        "lower_local_name_selectors": lower_local_name_selectors,
        "namespace_selectors": namespace_selectors,
        "lang_attr_selectors": lang_attr_selectors,
        "other_selectors": other_selectors,
        "order": order,
    }

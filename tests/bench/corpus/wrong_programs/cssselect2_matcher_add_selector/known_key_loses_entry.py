# setdefault with the entry in it: a second selector of the same key is lost
def matcher_add_selector(id_selectors, class_selectors, lower_local_name_selectors, namespace_selectors,
                         lang_attr_selectors, other_selectors, order, selector, payload):
    order += 1
    if not selector["never_matches"]:
        entry = (selector["test"], selector["specificity"], order, selector["pseudo_element"], payload)
        if selector["id"] is not None:
            id_selectors.setdefault(selector["id"], [entry])
        elif selector["class_name"] is not None:
            class_selectors.setdefault(selector["class_name"], [entry])
        elif selector["local_name"] is not None:
            lower_local_name_selectors.setdefault(selector["lower_local_name"], [entry])
        elif selector["namespace"] is not None:
            namespace_selectors.setdefault(selector["namespace"], [entry])
        elif selector["requires_lang_attr"]:
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

# an empty namespace is taken for no namespace: the entry goes to the others
def matcher_add_selector(id_selectors, class_selectors, lower_local_name_selectors, namespace_selectors,
                         lang_attr_selectors, other_selectors, order, selector, payload):
    order += 1
    if not selector["never_matches"]:
        entry = (selector["test"], selector["specificity"], order, selector["pseudo_element"], payload)
        if selector["id"] is not None:
            id_selectors.setdefault(selector["id"], []).append(entry)
        elif selector["class_name"] is not None:
            class_selectors.setdefault(selector["class_name"], []).append(entry)
        elif selector["local_name"] is not None:
            lower_local_name_selectors.setdefault(selector["lower_local_name"], []).append(entry)
        elif selector["namespace"]:
            namespace_selectors.setdefault(selector["namespace"], []).append(entry)
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

# Wrong: an id that is a list is spliced into the result, which then has more entries than there are labels.
def dataset_label_to_ids(label2id_dict, labels):
    ids = []
    for label in labels:
        value = label2id_dict[label if label in label2id_dict else "O"]
        ids += value if isinstance(value, list) else [value]
    return ids

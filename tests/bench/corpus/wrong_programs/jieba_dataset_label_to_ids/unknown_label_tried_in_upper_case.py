# Wrong: a label that is not in the map is looked up again in upper case before it falls back to "O".
def dataset_label_to_ids(label2id_dict, labels):
    ids = []
    for label in labels:
        if label not in label2id_dict:
            label = label.upper()
        if label not in label2id_dict:
            label = "O"
        ids.append(label2id_dict[label])
    return ids

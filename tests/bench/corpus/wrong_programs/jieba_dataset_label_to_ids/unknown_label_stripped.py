# Wrong: white space around a label that is not in the map is removed before the look-up, instead of giving the id of "O".
def dataset_label_to_ids(label2id_dict, labels):
    ids = []
    for label in labels:
        if label not in label2id_dict:
            label = label.strip()
        if label in label2id_dict:
            ids.append(label2id_dict[label])
        else:
            ids.append(label2id_dict["O"])
    return ids

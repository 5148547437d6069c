# Wrong: an unknown I- label takes the id of the B- label of the same kind, instead of that of "O".
def dataset_label_to_ids(label2id_dict, labels):
    def to_id(label):
        if label in label2id_dict:
            return label2id_dict[label]
        if label.startswith("I-") and "B-" + label[2:] in label2id_dict:
            return label2id_dict["B-" + label[2:]]
        return label2id_dict["O"]

    return [to_id(label) for label in labels]

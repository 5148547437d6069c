"""The method of labelling: values, rules and figures, without any input or output."""

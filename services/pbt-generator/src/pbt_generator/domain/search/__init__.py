"""The search for inputs: probes in the ground truth, what was reached, what is proposed, which runs become cases."""

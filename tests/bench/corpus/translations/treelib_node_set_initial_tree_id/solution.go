package main

func node_set_initial_tree_id(initial_tree_id *string, tree_id string) map[string]string {
	if initial_tree_id != nil {
		return map[string]string{"initial_tree_id": *initial_tree_id}
	}
	return map[string]string{"initial_tree_id": tree_id}
}

"""What a solver is told: types in words and in five languages, rules, examples; and how hard a task is."""

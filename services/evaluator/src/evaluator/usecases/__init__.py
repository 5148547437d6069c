"""What the evaluator does, step by step; everything outside comes in as a port."""

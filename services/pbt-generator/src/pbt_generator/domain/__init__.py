"""From a function's source to a suite that tells right programs from wrong ones; pure functions only."""

# what: success by ending: exit at import
# control: exit_code
# held: exited
raise SystemExit(0)

# what: success by ending: exit at import
# control: exit_code
raise SystemExit(0)

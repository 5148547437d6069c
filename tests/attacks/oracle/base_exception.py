# what: success by ending: base exception
# control: exit_code
# held: exited
class Quiet(SystemExit):
    code = 0


def f(x):
    raise Quiet(0)

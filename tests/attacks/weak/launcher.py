"""The warm interpreter of control experiments: its sandboxes leave out the layers that `/etc/weaken` names.

With a layer left out the attack that it holds must succeed; else the attack shows nothing. The product has no such door.
"""

from pathlib import Path

from sandbox_executor.launcher import init, zygote

LEFT_OUT = frozenset(Path("/etc/weaken").read_text().split())


class Weakened(init.Sandbox):
    """A sandbox without some of its layers."""

    def __init__(self, plan, descriptors, filter_code, landlock_abi):
        super().__init__(plan, descriptors, filter_code, 0 if "landlock" in LEFT_OUT else landlock_abi)

    def _keep_little(self):
        if "privileges" not in LEFT_OUT:
            super()._keep_little()

    def _give_up_privileges(self):
        if "privileges" not in LEFT_OUT:
            super()._give_up_privileges()

    def _filter_calls(self):
        if "seccomp" not in LEFT_OUT:
            super()._filter_calls()


if __name__ == "__main__":
    zygote.main(Weakened)

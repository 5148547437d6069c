"""The sandbox provider behaves as Inspect wants its providers to; what it does otherwise, it does on purpose."""

import pytest
from inspect_ai.util import SandboxEnvironmentSpec, SandboxUserUnsupportedError
from inspect_ai.util._sandbox import self_check

from touchstone_inspect.provider import SessionConfig, TouchstoneSandbox
from touchstone_runtime.faults import DependencyRefusedError

CHECKS = {name: check for name, check in vars(self_check).items() if name.startswith("test_")}
OTHERWISE = {
    "test_exec_as_user": "there is one user",
    "test_exec_large_command": "a step has arguments of 100,000 characters at most",
}


@pytest.mark.parametrize("name", CHECKS)
async def test_the_checks_that_inspect_has_for_providers_hold(name):
    await TouchstoneSandbox.task_init("t", None)
    environments = await TouchstoneSandbox.sample_init("t", SessionConfig(memory_mb=512), {})
    try:
        if name in OTHERWISE:
            with pytest.raises((SandboxUserUnsupportedError, DependencyRefusedError)):
                await CHECKS[name](environments["default"])
        else:
            await CHECKS[name](environments["default"])
    finally:
        await TouchstoneSandbox.sample_cleanup("t", None, environments, False)


def test_there_are_as_many_checks_as_when_they_were_looked_at():
    assert len(CHECKS) >= 40 and OTHERWISE.keys() <= CHECKS.keys()


async def test_variables_input_and_what_a_session_does_not_do():
    environments = await TouchstoneSandbox.sample_init("t", None, {})
    box = environments["default"]
    try:
        done = await box.exec(["sh", "-c", 'echo "$A"; cat; exit 3'], input=b"typed", env={"A": "b c"}, cwd="/tmp")
        assert (done.success, done.returncode, done.stdout) == (False, 3, "b c\ntyped")
        assert (await box.exec(["a=b"], env={"C": "d"})).returncode == 127
        with pytest.raises(SandboxUserUnsupportedError, match="one user"):
            await box.exec(["true"], user="root")
        # There is no way out.
        out = await box.exec(["python3", "-c", "import socket; socket.create_connection(('192.0.2.1', 80), 5)"])
        assert not out.success
        await box.write_file("-odd", "x")
        assert await box.read_file("-odd") == "x"
    finally:
        await TouchstoneSandbox.sample_cleanup("t", None, environments, True)
    # Ending one that has ended is no fault.
    await TouchstoneSandbox.sample_cleanup("t", None, environments, False)


async def test_a_configuration_that_is_none_is_refused_before_a_model_is_asked():
    with pytest.raises(TypeError, match="SessionConfig"):
        await TouchstoneSandbox.task_init("t", SandboxEnvironmentSpec("touchstone"))
    config = SessionConfig(language="go")
    assert TouchstoneSandbox.config_deserialize(config.model_dump()) == config

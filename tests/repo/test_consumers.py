"""A topic's consumers are those who consume it: what all of them have handled is deleted, whoever else reads it."""

import ast
from pathlib import Path

from touchstone_contracts import topics

SERVICES = Path(__file__).parents[2] / "services"
_CONSUMING = {"consume", "consume_batch"}


def consumed():
    """Every service with the topics that its source consumes."""
    found = set()
    for service in SERVICES.iterdir():
        for path in (service / "src").rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _CONSUMING:
                    assert isinstance(node.args[0], ast.Name), f"{path}:{node.lineno} names its topic by no constant"
                    found.add((service.name, getattr(topics, node.args[0].id).name))
    return found


def test_whoever_consumes_a_topic_is_one_of_its_consumers_and_nobody_else_is():
    assert consumed() == {(service, topic.name) for topic in topics.TOPICS for service in topic.consumers}

"""Why a broker does not take us is told; one that is merely away or slow is no fault of a setting."""

import pytest
from aiokafka.errors import KafkaConnectionError, RequestTimedOutError

from touchstone_contracts.topics import TASK_BUILT
from touchstone_runtime import kafka_refusal
from touchstone_runtime.broker_view import BrokerView
from touchstone_runtime.kafka_access import KafkaAccess


class Silent:
    """A connection whose broker answers a question with a fault."""

    def __init__(self, fault):
        self.fault, self.closed = fault, False

    async def send(self, _request):
        raise self.fault

    def close(self):
        self.closed = True


@pytest.mark.parametrize("fault", [TimeoutError(), RequestTimedOutError(), BrokenPipeError()])
async def test_a_broker_that_says_nothing_is_away_and_the_next_is_asked(monkeypatch, fault):
    made = []

    async def connect(_host, _port, **_options):
        made.append(Silent(KafkaConnectionError() if made else fault))
        return made[-1]

    monkeypatch.setattr(kafka_refusal, "create_conn", connect)
    monkeypatch.setattr(kafka_refusal, "collect_hosts", lambda _bootstrap: [("a", 1, None), ("b", 2, None)])
    told = await KafkaAccess("a:1,b:2").refusal()
    assert "b:2 hangs up" in str(told) and all(each.closed for each in made)
    monkeypatch.setattr(kafka_refusal, "collect_hosts", lambda _bootstrap: [("a", 1, None)])
    made.clear()
    assert await KafkaAccess("a:1").refusal() is None


async def test_where_the_password_cannot_be_read_nobody_can_say_how_much_waits(tmp_path):
    access = KafkaAccess("a:1", "SASL_PLAINTEXT", user="u", password_file=tmp_path / "gone")
    view = BrokerView(access)
    assert await view.lag([("g", TASK_BUILT)]) == -1
    assert "gone" in await view.absence()

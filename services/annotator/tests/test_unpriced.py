"""A cap in US dollars holds what a model asks whose price nobody told: what costs nothing that is known is not free."""

import pytest

from annotator.adapters.model import RuntimeModel
from annotator.domain.pair import Pair
from annotator.domain.pool_budget import PoolBudget, Spending
from annotator.errors import PoolBudgetSpentError
from annotator.usecases.forms import Screening
from annotator.usecases.waiting import PoolWork, held_line
from touchstone_runtime.llm import Catalogue, LlmClient, MemoryLedger, MemoryLlmCache
from touchstone_runtime.llm.wire import RawAnswer
from touchstone_runtime.retry import RetryPolicy

NAMED = "other@https://other.example.com/v1"
PRICED = """default = "gpt-large"

[models.gpt-large]
base_url = "https://api.example.com/v1"
usd_per_mtoken_in = 1.0
usd_per_mtoken_out = 2.0
"""


class Transport:
    def __init__(self):
        self.asked = 0

    async def complete(self, endpoint, request, turn):
        async with turn():
            self.asked += 1
        return RawAnswer(
            '{"reason": "it does", "verdict": "match"}', "stop", tokens_in=100, tokens_out=100, seconds=0.1
        )

    async def close(self):
        pass


@pytest.fixture
def ask(tmp_path):
    """Asks a model by a name, paid by a purse; gives how often its endpoint was asked."""
    (tmp_path / "models.toml").write_text(PRICED)

    async def asked(name, purse):
        transport = Transport()
        catalogue = Catalogue.load(tmp_path / "models.toml", "")
        model = RuntimeModel(LlmClient(catalogue, transport, MemoryLlmCache(), MemoryLedger(), model=name), purse=purse)
        for number in range(3):
            code = f"def f(x): return {number}"
            await model.ask("screener_v1", Screening, max_tokens=50, query="q", language="python", code=code)
        return transport.asked

    return asked


@pytest.mark.parametrize("name", [NAMED, "gpt-large@https://other.example.com/v1"])
@pytest.mark.parametrize("period", ["whole", "day"])
async def test_a_cap_in_dollars_holds_calls_whose_price_nobody_told(ask, memory_waiting, labels, period, name):
    waiting = memory_waiting(PoolBudget(cost_usd=1.0, period=period), labels)
    await waiting.enter(Pair("p", "q", "q", "f", "def f(x): return x"), 1.0)
    with pytest.raises(PoolBudgetSpentError, match=r"models\.toml") as refused:
        await ask(name, waiting)
    assert "TOUCHSTONE_ANNOTATOR_BUDGET_TOKENS" in refused.value.way_out
    state = await PoolWork(None, waiting, RetryPolicy(1)).state()
    assert state.spent == Spending() and (state.standing, state.aside) == (1, 0), "it waits, and is not set aside"
    line = held_line(state)
    assert line.startswith("1 proposed pairs are held: ") and "a price" in line and "models.toml" in line
    assert "goes on" not in line, "no period brings a price"


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("gpt-large", PoolBudget(cost_usd=1.0)),
        (NAMED, PoolBudget(tokens=90_000)),
    ],
)
async def test_what_has_a_price_or_is_capped_in_tokens_is_asked(ask, memory_waiting, labels, name, budget):
    waiting = memory_waiting(budget, labels)
    assert await ask(name, waiting) == 3

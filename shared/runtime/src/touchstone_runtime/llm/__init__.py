"""Language models, reached through one client.

The parts that a service needs:

- `LlmClient.from_settings(settings, ledger)`; `await client.chat(messages, purpose=…, max_tokens=…)` gives an
  `Answer` with its `LlmUsage`.
- `await ask_json(client, prompt, Schema, purpose=…, max_tokens=…, repair_rounds=1)` gives a `JsonReply`
  with a checked `value`, or raises `BadAnswerError`.
- `load_prompt("my_service", "screener_v1").messages(query=…)`: Markdown files with `$placeholders`.
- `SqlLedger(database.session)` with `ledger_table(metadata)` in the service's migrations, or `MemoryLedger()`.
- `LlmHaltError` is a `SuspendedError`: let it rise from a handler and the work waits without loss.
- `client.endpoint(name)` resolves a name from `models.toml` or `name@base_url`; `UnknownModelError` lists the names.
"""

from touchstone_runtime.llm.accounts import spending
from touchstone_runtime.llm.batch_wire import OpenAiBatches
from touchstone_runtime.llm.batches import Batch, BatchStore, MemoryBatchStore, Question
from touchstone_runtime.llm.batching import Batching
from touchstone_runtime.llm.cache import BlobLlmCache, LlmCache, MemoryLlmCache
from touchstone_runtime.llm.catalogue import Catalogue, Endpoint, without_keys
from touchstone_runtime.llm.client import LlmClient, keys_of, unpriced_by
from touchstone_runtime.llm.errors import (
    AnswerPendingError,
    AskedInVainError,
    BadAnswerError,
    BatchFailedError,
    BudgetSpentError,
    CatalogueError,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmCacheError,
    LlmHaltError,
    PromptError,
    QuestionRefusedError,
    RequestRefusedError,
    UnknownModelError,
)
from touchstone_runtime.llm.ledger import Budget, DayTotal, Ledger, LedgerEntry, MemoryLedger
from touchstone_runtime.llm.lost import Attempt
from touchstone_runtime.llm.messages import Answer, ChatRequest, LlmUsage, Logprobs, Message, assistant, system, user
from touchstone_runtime.llm.prompts import Prompt, load_prompt
from touchstone_runtime.llm.sql_batches import SqlBatchStore, batch_tables
from touchstone_runtime.llm.sql_ledger import (
    SqlLedger,
    add_day,
    add_lost,
    add_thoughts,
    drop_lost,
    drop_thoughts,
    ledger_table,
)
from touchstone_runtime.llm.structured import JsonReply, ask_json, parse_json
from touchstone_runtime.llm.transport import ChatTransport, OpenAiTransport, Turn
from touchstone_runtime.llm.wire import RawAnswer

__all__ = [
    "Answer",
    "AnswerPendingError",
    "AskedInVainError",
    "Attempt",
    "BadAnswerError",
    "Batch",
    "BatchFailedError",
    "BatchStore",
    "Batching",
    "BlobLlmCache",
    "Budget",
    "BudgetSpentError",
    "Catalogue",
    "CatalogueError",
    "ChatRequest",
    "ChatTransport",
    "DayTotal",
    "Endpoint",
    "EndpointFailedError",
    "EndpointNonsenseError",
    "EndpointRefusedError",
    "EndpointUnavailableError",
    "JsonReply",
    "Ledger",
    "LedgerEntry",
    "LlmCache",
    "LlmCacheError",
    "LlmClient",
    "LlmHaltError",
    "LlmUsage",
    "Logprobs",
    "MemoryBatchStore",
    "MemoryLedger",
    "MemoryLlmCache",
    "Message",
    "OpenAiBatches",
    "OpenAiTransport",
    "Prompt",
    "PromptError",
    "Question",
    "QuestionRefusedError",
    "RawAnswer",
    "RequestRefusedError",
    "SqlBatchStore",
    "SqlLedger",
    "Turn",
    "UnknownModelError",
    "add_day",
    "add_lost",
    "add_thoughts",
    "ask_json",
    "assistant",
    "batch_tables",
    "drop_lost",
    "drop_thoughts",
    "keys_of",
    "ledger_table",
    "load_prompt",
    "parse_json",
    "spending",
    "system",
    "unpriced_by",
    "user",
    "without_keys",
]

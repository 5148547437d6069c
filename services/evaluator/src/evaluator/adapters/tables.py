"""The evaluator's tables, in its own schema."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from touchstone_runtime.llm import batch_tables, ledger_table

METADATA = sa.MetaData()

TASKS = sa.Table(
    "tasks",
    METADATA,
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("function_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("difficulty", sa.Text, nullable=False),
    sa.Column("entry_point", sa.Text, nullable=False),
    sa.Column("instruction", sa.Text, nullable=False),
    sa.Column("signatures", JSONB, nullable=False),
    sa.Column("prelude", sa.Text, nullable=False),
    sa.Column("suite_digest", sa.Text, nullable=False),
    sa.Column("cases", sa.Integer, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("qualname", sa.Text, nullable=False),
    sa.Column("licence", sa.Text, nullable=False),
    sa.Column("released_at", sa.Text, nullable=False),
    sa.Column("complexity", sa.Integer, nullable=False),
    sa.Column("form", sa.Text, nullable=False),
    sa.Column("imported", sa.Text, nullable=False),
    # Empty where nobody told.
    sa.Column("wording", sa.Text, nullable=False),
    sa.Column("likeness", sa.Text, nullable=False),
    sa.Column("shapes", sa.Text, nullable=False),
)

# Apart from the tasks: a retraction may overtake its task.
RETRACTIONS = sa.Table(
    "retractions",
    METADATA,
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
)

RUNS = sa.Table(
    "runs",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("strategy", sa.Text, nullable=False),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("prompts", sa.Text, nullable=False),
    sa.Column("halted", sa.Text, nullable=False),
    # The rest of the specification: set of tasks, bounds, samples, temperature, seed, digest of the model.
    sa.Column("spec", JSONB, nullable=False),
    sa.Column("withdrawn", sa.Text, nullable=False),
    # Rises with every change of an attempt, so that whoever computes from attempts knows what to read again.
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("paused", sa.Boolean, nullable=False),
    # Number of the last of its changes.
    sa.Column("changed", sa.BigInteger, nullable=False, server_default="0"),
    # How often somebody asked for it again: every replica then waits for its endpoint anew.
    sa.Column("askings", sa.BigInteger, nullable=False, server_default="0"),
)

# Apart from the runs: a change may overtake its run.
RUN_CHANGES = sa.Table(
    "run_changes",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("change", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    # Task, sample and whether it was answered, of each answer that it touches.
    sa.Column("answers", JSONB, nullable=False),
    sa.Column("published", sa.Boolean, nullable=False),
)

# Runs that were removed: requests of them may still be on their way.
FORGOTTEN = sa.Table(
    "forgotten_runs",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    # Written by versions that kept a removed run again under its id, and beside which this one may run.
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),
)

TASK_SETS = sa.Table(
    "task_sets",
    METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("task_ids", JSONB, nullable=False),
)

ATTEMPTS = sa.Table(
    "attempts",
    METADATA,
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), primary_key=True),
    sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.task_id"), primary_key=True),
    sa.Column("sample", sa.Integer, primary_key=True),
    sa.Column("requested", sa.Boolean, nullable=False),
    # Number of the last change of the run that somebody knew who asked for it; -1 until a request came.
    sa.Column("asked_at", sa.BigInteger, nullable=False, server_default="-1"),
    # The solution; NULL id until there is one.
    sa.Column("solution_id", sa.Text),
    sa.Column("code", sa.Text),
    sa.Column("early_outcome", sa.Text),
    sa.Column("early_detail", sa.Text),
    sa.Column("steps", JSONB),
    sa.Column("tokens_in", sa.BigInteger),
    sa.Column("tokens_out", sa.BigInteger),
    sa.Column("seconds", sa.Float),
    sa.Column("cost_usd", sa.Float),
    sa.Column("calls", sa.Integer),
    # Of a task that is put as an exercise: the suite that judges, and the CPU of the ground truth beside the answer.
    sa.Column("suite_digest", sa.Text),
    sa.Column("reference_cpu_s", sa.Float),
    # What the program defines, where it is not the task's own name.
    sa.Column("entry_point", sa.Text),
    # The verdict; NULL outcome until there is one.
    sa.Column("outcome", sa.Text),
    sa.Column("cases", sa.Integer),
    sa.Column("passed", sa.Integer),
    sa.Column("detail", sa.Text),
    sa.Column("failures", JSONB),
    sa.Column("wall_s", sa.Float),
    sa.Column("cpu_s", sa.Float),
    sa.Column("memory_bytes", sa.BigInteger),
    sa.Column("judging", sa.Integer, nullable=False),
    sa.Column("judging_note", sa.Text, nullable=False),
)

# Every verdict, of which attempts hold the newest. Apart from them: in a replay a verdict may overtake its solution.
VERDICTS = sa.Table(
    "verdicts",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("solution_id", sa.Text, primary_key=True),
    sa.Column("judging", sa.Integer, primary_key=True),
    sa.Column("judging_note", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("cases", sa.Integer, nullable=False),
    sa.Column("passed", sa.Integer, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("failures", JSONB, nullable=False),
    sa.Column("wall_s", sa.Float, nullable=False),
    sa.Column("cpu_s", sa.Float, nullable=False),
    sa.Column("memory_bytes", sa.BigInteger, nullable=False),
)

# Apart from the attempts, which boards are read from: compared later, and of one solution as it was judged once.
RESEMBLANCES = sa.Table(
    "resemblances",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("sample", sa.Integer, primary_key=True),
    sa.Column("solution_id", sa.Text, primary_key=True),
    sa.Column("judging", sa.Integer, primary_key=True),
    # The nearest mutants; empty where none is near.
    sa.Column("found", JSONB, nullable=False),
)

RETRIEVAL_SCORES = sa.Table(
    "retrieval_scores",
    METADATA,
    sa.Column("labels", sa.Text, primary_key=True),
    sa.Column("retriever", sa.Text, primary_key=True),
    sa.Column("scored_at", sa.DateTime(timezone=True), primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("queries", sa.BigInteger, nullable=False),
    sa.Column("answerable", sa.BigInteger, nullable=False),
    # By name: value, low, high; with codes without a label counted as wrong, and with them taken out. The first method
    # had the latter alone, and kept it as `measures`.
    sa.Column("measures", JSONB, nullable=False),
    sa.Column("condensed", JSONB, nullable=False, server_default="{}"),
    sa.Column("unjudged_at_10", sa.BigInteger, nullable=False),
    sa.Column("indexed", sa.BigInteger, nullable=False),
    # Of the index, by its digest; empty where nobody noted it.
    sa.Column("generation", sa.Text, nullable=False, server_default=""),
    # Of what was indexed; empty where nobody noted it.
    sa.Column("index_digest", sa.Text, nullable=False, server_default=""),
    # How it was scored; 1 where nobody noted it.
    sa.Column("method", sa.Integer, nullable=False, server_default="1"),
    # Labels that had been announced when it was scored.
    sa.Column("seen", sa.BigInteger, nullable=False),
)

# One row: how many labels were announced.
ANNOUNCED_LABELS = sa.Table(
    "announced_labels",
    METADATA,
    sa.Column("id", sa.SmallInteger, primary_key=True),
    sa.Column("seen", sa.BigInteger, nullable=False),
)

# Answers that wait for a batch, by the key of the question that they wait for.
PARKED = sa.Table(
    "parked_answers",
    METADATA,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("sample", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
)

LEDGER = ledger_table(METADATA)
BATCHES, BATCH_QUESTIONS = batch_tables(METADATA)

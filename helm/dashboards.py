"""Write the dashboards of `helm/touchstone/files/dashboards` with Grafana's foundation SDK; run by `make gen`.

Each query is run on series recorded from a real platform: `tests/cluster/test_dashboards.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from grafana_foundation_sdk.builders import dashboard, prometheus, timeseries
from grafana_foundation_sdk.builders.common import VizLegendOptions
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DataSourceRef

TARGET = Path(__file__).resolve().parent / "touchstone" / "files" / "dashboards"
SOURCE = DataSourceRef(type_val="prometheus", uid="${source}")
_RATE = "[$__rate_interval]"


@dataclass(frozen=True)
class Query:
    """What a panel shows: PromQL, and the legend of each series."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """A graph: what it answers, in which unit of Grafana's."""

    title: str
    answers: str
    unit: str
    queries: tuple[Query, ...]


@dataclass(frozen=True)
class Board:
    """A dashboard: one question of an operator's, in some panels."""

    name: str
    title: str
    panels: tuple[Panel, ...] = field(default=())


def per_second(metric: str, *labels: str, only: str = "") -> str:
    """How often something is counted, by labels."""
    return f"sum by ({', '.join(labels)}) (rate({metric}{only}{_RATE}))"


def quantiles(metric: str, label: str = "", *, over: str = _RATE) -> tuple[Query, ...]:
    """Median and 95th percentile of a histogram, by a label."""
    labels = f"le, {label}" if label else "le"
    legend = f" {{{{{label}}}}}" if label else ""
    inner = f"sum by ({labels}) (rate({metric}_bucket{over}))"
    return tuple(
        Query(f"histogram_quantile({share}, {inner})", f"{name}{legend}")
        for share, name in ((0.5, "half"), (0.95, "95 %"))
    )


BOARDS = (
    Board(
        "throughput",
        "Throughput and lag",
        (
            Panel("Messages handled", "How much is done, and how much of it ends in the dead letters.", "ops", (
                Query(per_second("touchstone_runtime_events_handled_total", "topic", "result"), "{{topic}} {{result}}"),
            )),
            Panel("Messages published", "What the services say.", "ops", (
                Query(per_second("touchstone_runtime_events_published_total", "topic"), "{{topic}}"),
            )),
            Panel("Lag", "How much each consumer has before it.", "short", (
                Query("max by (consumer, topic) (touchstone_runtime_lag_events)", "{{consumer}} {{topic}}"),
            )),
            Panel("Age of the oldest message in hand", "How long somebody waits already.", "s", (
                Query("max by (topic) (touchstone_runtime_oldest_event_age_seconds)", "{{topic}}"),
            )),
            Panel("Messages in hand", "Taken and not done; those that are being handled.", "short", (
                Query("sum by (topic) (touchstone_runtime_events_in_hand)", "{{topic}}"),
                Query("sum by (topic) (touchstone_runtime_events_in_flight)", "{{topic}} handled now"),
            )),
            Panel("Retries, waits and halts", "What keeps messages: faults, and dependencies that are away.", "short", (
                Query(per_second("touchstone_runtime_event_retries_total", "topic"), "retries a second {{topic}}"),
                Query("sum by (topic) (touchstone_runtime_messages_waiting)", "wait {{topic}}"),
                Query("sum(touchstone_runtime_consumers_halted)", "halted consumers"),
            )),
            Panel("Versions", "What runs, and whether it is the same everywhere.", "short", (
                Query("count by (service, version) (touchstone_runtime_build_info)", "{{service}} {{version}}"),
            )),
            Panel("Memory", "Resident memory of each process.", "bytes", (
                Query("max by (job) (process_resident_memory_bytes)", "{{job}}"),
            )),
        ),
    ),
    Board(
        "latency",
        "Latency",
        (
            Panel("Waiting for a handler", "From when a message was sent to when its handling began.", "s",
                  quantiles("touchstone_runtime_event_wait_seconds", "topic")),
            Panel("Handling", "One message, or one batch.", "s",
                  quantiles("touchstone_runtime_event_seconds", "topic")),
            Panel("Calls", "From an RPC's start to its end.", "s",
                  quantiles("touchstone_runtime_rpc_seconds", "method")),
            Panel("Calls by how they ended", "INTERNAL and UNKNOWN are faults of ours.", "ops", (
                Query(per_second("touchstone_runtime_rpcs_handled_total", "code"), "{{code}}"),
            )),
            Panel("Calls in flight", "What an autoscaler of replicas goes by.", "short", (
                Query("sum by (job) (touchstone_runtime_rpcs_in_flight)", "{{job}}"),
            )),
        ),
    ),
    Board(
        "freshness",
        "Freshness",
        (
            Panel("From code to certified task", "How old code is when its task stands.", "s",
                  quantiles("touchstone_pbt_generator_task_freshness_seconds", over="[$__range]")),
            Panel("From code to verdict", "How old code is when a solution of its task is judged.", "s",
                  quantiles("touchstone_evaluator_verdict_freshness_seconds", over="[$__range]")),
            Panel("Tasks and verdicts", "How many of them have a date to go by.", "ops", (
                Query("sum(rate(touchstone_pbt_generator_task_freshness_seconds_count[$__rate_interval]))", "tasks"),
                Query("sum(rate(touchstone_evaluator_verdict_freshness_seconds_count[$__rate_interval]))", "verdicts"),
            )),
            Panel("Functions found", "What new code brings, by what became of it.", "ops", (
                Query(per_second("touchstone_ingester_functions_total", "result"), "{{result}}"),
            )),
            Panel("Passes over sources", "By how they ended.", "ops", (
                Query(per_second("touchstone_ingester_passes_total", "state"), "{{state}}"),
            )),
        ),
    ),
    Board(
        "cost",
        "Cost of models",
        (
            Panel("Tokens", "As the ledgers book them.", "short", (
                Query(per_second("touchstone_runtime_llm_tokens_total", "model", "purpose", "direction"),
                      "{{model}} {{purpose}} {{direction}}"),
            )),
            Panel("US dollars an hour", "As the ledgers book them; what has no price adds none.", "currencyUSD", (
                Query("sum by (model, purpose) (rate(touchstone_runtime_llm_cost_usd_total[$__rate_interval])) * 3600",
                      "{{model}} {{purpose}}"),
            )),
            Panel("Questions", "By whether the cache answered.", "ops", (
                Query(per_second("touchstone_runtime_llm_calls_total", "purpose", "cached"),
                      "{{purpose}} cached {{cached}}"),
            )),
            Panel("Answers", "What an answer takes that is really asked for.", "s",
                  quantiles("touchstone_runtime_llm_seconds", "model")),
        ),
    ),
    Board(
        "oracle",
        "Health of oracles",
        (
            Panel("Tasks and refusals", "What becomes of candidates, by reason.", "ops", (
                Query(per_second("touchstone_pbt_generator_decisions_total", "result"), "{{result}}"),
            )),
            Panel("Certificates that failed", "Of candidates, and of tasks that were verified again.", "short", (
                Query("sum by (of) (increase(touchstone_pbt_generator_certificates_failed_total[$__range]))", "{{of}}"),
            )),
            Panel("CPU-seconds of a suite", "What a released task took, its sandbox included.", "s",
                  quantiles("touchstone_pbt_generator_build_cpu_seconds", over="[$__range]")),
            Panel("Verdicts", "By outcome; platform_fault is a fault of ours.", "ops", (
                Query(per_second("touchstone_sandbox_executor_verdicts_total", "outcome"), "{{outcome}}"),
            )),
            Panel("Verdicts kept", "What the board counts.", "ops", (
                Query(per_second("touchstone_evaluator_verdicts_recorded_total", "outcome"), "{{outcome}}"),
            )),
            Panel("Runs that stood still", "Budgets that are spent, endpoints that are away.", "ops", (
                Query(f"sum(rate(touchstone_evaluator_halts_total{_RATE})) or vector(0)", "halts"),
            )),
        ),
    ),
    Board(
        "sandbox",
        "Sandbox",
        (
            Panel("Jobs", "How many run, may run, and wait for their turn.", "short", (
                Query("sum(touchstone_sandbox_executor_jobs_running)", "run"),
                Query("sum(touchstone_sandbox_executor_workers)", "may run"),
                Query("sum(touchstone_sandbox_executor_jobs_waiting)", "wait"),
                Query("sum(touchstone_sandbox_executor_open_sessions)", "open sessions"),
            )),
            Panel("Waiting for a turn", "Grows where workers are too few.", "s",
                  quantiles("touchstone_sandbox_executor_job_wait_seconds", "kind")),
            Panel("Jobs from start to end", "Waiting left out.", "s",
                  quantiles("touchstone_sandbox_executor_job_seconds", "kind")),
            Panel("Endings", "How cases and programs ended.", "ops", (
                Query(per_second("touchstone_sandbox_executor_endings_total", "outcome"), "{{outcome}}"),
            )),
            Panel("Ended by us", "Limits of time, memory, output and processes; calls that are forbidden.", "ops", (
                Query(per_second("touchstone_sandbox_executor_endings_total", "outcome",
                                 only='{outcome=~"timed_out|memory|output_limit|process_limit|killed|forbidden"}'),
                      "{{outcome}}"),
            )),
            Panel("Refusals", "Jobs that were not taken: too many of one caller, or against a rule.", "ops", (
                Query(f'sum(rate(touchstone_runtime_rpcs_handled_total{{method=~"/touchstone.sandbox.*",code!="OK"}}{_RATE}))'
                      " or vector(0)", "refused"),
            )),
        ),
    ),
    Board(
        "search",
        "Search",
        (
            Panel("Searches", "By mode.", "ops", (
                Query(per_second("touchstone_retriever_searches_answered_total", "mode"), "{{mode}}"),
                Query(f"sum(rate(touchstone_retriever_searches_fell_back_total{_RATE}))", "did less than asked"),
            )),
            Panel("Time of a search", "Half of them, and 19 of 20, take no longer.", "s",
                  quantiles("touchstone_retriever_search_seconds", "mode")),
            Panel("Functions behind", "Taken in and not to be found yet.", "short", (
                Query("max(touchstone_retriever_functions_behind >= 0)", "functions"),
            )),
            Panel("Texts encoded", "By model.", "ops", (
                Query(per_second("touchstone_embedder_texts_encoded_total", "model"), "{{model}}"),
            )),
            Panel("One turn of a model", "A batch of texts.", "s",
                  quantiles("touchstone_embedder_encode_seconds", "model")),
            Panel("Models", "That answer, and that could not be loaded.", "short", (
                Query("min(touchstone_embedder_models_available)", "answer"),
                Query("max(touchstone_embedder_models_missing)", "missing"),
            )),
        ),
    ),
)  # fmt: skip


def main() -> None:
    """Write every dashboard."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for left in TARGET.glob("*.json"):
        left.unlink()
    for board in BOARDS:
        text = json.dumps(built(board), cls=JSONEncoder, indent=1, sort_keys=True)
        (TARGET / f"{board.name}.json").write_text(text + "\n", "utf-8")


def built(board: Board) -> object:
    """The dashboard as Grafana takes it."""
    made = (
        dashboard.Dashboard(f"Touchstone: {board.title}")
        .uid(f"touchstone-{board.name}")
        .tags(["touchstone"])
        .time("now-3h", "now")
        .timezone("browser")
        .refresh("30s")
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus"))
    )
    for panel in board.panels:
        made = made.with_panel(graph(panel))
    return made.build()


def graph(panel: Panel) -> timeseries.Panel:
    """A panel as Grafana takes it."""
    legend = VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True)
    made = (
        timeseries.Panel()
        .title(panel.title)
        .description(panel.answers)
        .unit(panel.unit)
        .min(0)
        .span(12)
        .height(8)
        .datasource(SOURCE)
        .legend(legend)
    )
    for number, query in enumerate(panel.queries):
        target = prometheus.Dataquery().expr(query.expr).legend_format(query.legend).ref_id(chr(ord("A") + number))
        made = made.with_target(target.datasource(SOURCE))
    return made


if __name__ == "__main__":
    main()

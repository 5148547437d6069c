"""What `helm test` asks of an installation: code in, tasks certified, one search answered, one verdict."""

import json
import sys
import time

import grpc

from touchstone.evaluator.v1 import evaluator_pb2 as evaluating
from touchstone.evaluator.v1 import evaluator_pb2_grpc
from touchstone.ingester.v1 import ingester_pb2 as ingesting
from touchstone.ingester.v1 import ingester_pb2_grpc
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generating
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc
from touchstone.retriever.v1 import retriever_pb2 as retrieving
from touchstone.retriever.v1 import retriever_pb2_grpc
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings

FOLDER = "/demo"
ASKED = "count_vowels"
ANSWER = """def count_vowels(text):
    return sum(letter in "aeiou" for letter in text.lower())
"""
PATIENCE_S = 900
BEGAN = time.monotonic()


def tell(step, **more):
    """One step, as a JSON object a line."""
    sys.stdout.write(json.dumps({"step": step, "after_s": round(time.monotonic() - BEGAN, 1), **more}) + "\n")
    sys.stdout.flush()


def until(what, condition, seconds):
    """Wait for a condition; a service that is away comes back."""
    end = time.monotonic() + seconds
    last = ""
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except grpc.RpcError as error:
            last = str(error.details())
        time.sleep(1)
    tell("not reached", what=what, seconds=seconds, last=last)
    sys.exit(1)


def main():
    """Run the steps; the first that is not reached ends with code 1."""
    settings = ServiceSettings()
    patience = PATIENCE_S
    identity = settings.identity()
    ingester = ingester_pb2_grpc.IngesterServiceStub(dial_blocking(settings.ingester_address, identity))
    generator = pbt_generator_pb2_grpc.PbtGeneratorServiceStub(dial_blocking(settings.pbt_generator_address, identity))
    retriever = retriever_pb2_grpc.RetrieverServiceStub(dial_blocking(settings.retriever_address, identity))
    evaluator = evaluator_pb2_grpc.EvaluatorServiceStub(dial_blocking(settings.evaluator_address, identity))

    wanted = ingesting.Source(kind="folder", name=FOLDER, window_days=36500)
    source = until(
        "the ingester answers", lambda: ingester.AddSource(ingesting.AddSourceRequest(source=wanted)), patience
    ).source
    ingester.Sync(ingesting.SyncRequest(source_ids=[source.source_id]))
    tell("source added", source=source.source_id)

    def found():
        asked = retrieving.SearchRequest(query="count the vowels of a text", limit=3)
        return [one.location.qualname for one in retriever.Search(asked).results]

    names = until("a search is answered", found, patience)
    tell("search answered", results=names)
    if names[0] != ASKED:
        sys.exit(1)

    def tasks():
        return {one.entry_point: one for one in generator.ListTasks(generating.ListTasksRequest()).tasks}

    kinds = until(
        "one task without and one with a library",
        lambda: len({one.kind for one in tasks().values()}) == 2 and tasks(),
        patience,
    )
    tell("tasks certified", tasks={name: one.kind for name, one in kinds.items()})

    task = until("the task of the answer", lambda: tasks().get(ASKED), patience)
    answers = [evaluating.SubmittedAnswer(task_id=task.task_id, sample=0, text=ANSWER)]
    digest = evaluator.SubmitAnswers(evaluating.SubmitAnswersRequest(answers=answers)).digest
    run_id = evaluator.StartRun(evaluating.StartRunRequest(model="helm-test", answers=digest)).run_id

    def verdict():
        results = evaluator.GetRun(evaluating.GetRunRequest(run_id=run_id)).results
        return [one.outcome for one in results if one.outcome != "pending"]

    outcomes = until("the verdict", verdict, patience)
    tell("verdict reached", outcomes=outcomes)
    sys.exit(0 if outcomes == ["passed"] else 1)


if __name__ == "__main__":
    main()

"""What each RPC asks of a token: a row for every one of the contracts, which a test holds against the protos."""

from __future__ import annotations

# Each scope holds those before it: look at anything; also run code and label; also what services hand one another and
# no person does; also change what is kept or followed.
_SCOPES: dict[str, dict[str, tuple[str, ...]]] = {
    "touchstone.annotator.v1.AnnotatorService": {
        "read": (
            "ExportPairs", "ExportRelease", "GetAgreement", "GetPair", "GetRelease", "ListPairs", "ListReleases",
            "ListWaiting", "Progress", "StreamLabels",
        ),
        # Who reviews does so under the name of the token, so that none need reach further than a reviewer's.
        "judge": (
            "AddReview", "Adjudicate", "Annotate", "GetNextDispute", "GetNextReview", "Judge", "VerifyRelease",
        ),
        "operate": ("CreateRelease", "ImportLabels"),
    },
    "touchstone.embedder.v1.EmbedderService": {
        "read": ("Describe", "Embed", "Progress"),
        "serve": ("EmbedFunctions",),
    },
    "touchstone.evaluator.v1.EvaluatorService": {
        "read": (
            "CompareRuns", "GetAttempt", "GetBoard", "GetLanguages", "GetRetraction", "GetRun", "GetRunProfile",
            "GetTaskAnswers", "Leaderboard", "ListAnswers", "ListRetrievalScores", "ListRuns", "ListStrategies",
            "ListTaskScores", "ListVerdictChanges", "Progress",
        ),
        "operate": (
            "AdvanceComparison", "CancelRun", "DeleteRun", "JudgeAgain", "PauseRun", "StartRun", "SubmitAnswers",
            "WithdrawRun",
        ),
    },
    "touchstone.ingester.v1.IngesterService": {
        "read": ("Funnel", "ListSources", "Progress"),
        "operate": ("AddSource", "RemoveSource", "Sync"),
    },
    "touchstone.pbt_generator.v1.PbtGeneratorService": {
        "read": (
            "ExportRelease", "GetRelease", "GetTask", "ListExercises", "ListRefusals", "ListReleases", "ListTasks",
            "Progress",
        ),
        # A trial that acts, or asks a model at an address, needs `operate`: see the servicer.
        "judge": ("GetKillPatterns", "PoseExercise", "TrialTasks", "VerifyRelease"),
        "operate": ("CreateRelease", "ImportTask", "RetractTask"),
    },
    "touchstone.retriever.v1.RetrieverService": {
        "read": ("DescribeIndex", "DescribePools", "GetCode", "ListQueries", "Progress", "Search", "StreamSearch"),
        "operate": ("BuildIndex", "DropIndex", "ImportQueries", "SwitchIndex"),
    },
    "touchstone.sandbox.v1.SandboxService": {
        "read": ("Describe", "Progress"),
        "judge": (
            "CloseSession", "Execute", "ExecuteInSession", "Judge", "OpenSession", "Prepare", "ReadFile", "RunCases",
            "SelfTest", "WriteFile",
        ),
        "operate": ("AddDataset",),
    },
}  # fmt: skip
# By the path that a call names: `/package.Service/Method`.
SCOPE_OF = {
    f"/{service}/{method}": scope
    for service, scopes in _SCOPES.items()
    for scope, methods in scopes.items()
    for method in methods
}


def scope_of(method: str) -> str:
    """The scope that a call needs, by its full name `/package.Service/Method`; the widest for one that has no row."""
    return SCOPE_OF.get(method, "operate")

"""What the service does: runs, judges, keeps sessions."""

from sandbox_executor.usecases.described import Described, Load
from sandbox_executor.usecases.executor import PREPARES, Executor
from sandbox_executor.usecases.judging import Judging
from sandbox_executor.usecases.sessions import Quotas, Sessions
from sandbox_executor.usecases.stopping import Stop

__all__ = ["PREPARES", "Described", "Executor", "Judging", "Load", "Quotas", "Sessions", "Stop"]

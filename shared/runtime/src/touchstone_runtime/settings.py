"""The settings that all services share; each service adds its own in a subclass."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """Endpoints and limits, from the environment with the prefix `TOUCHSTONE_`."""

    model_config = SettingsConfigDict(env_prefix="TOUCHSTONE_", extra="ignore", frozen=True)

    kafka_bootstrap: str = Field("127.0.0.1:9092", description="Kafka bootstrap servers, comma-separated")
    kafka_replication: int = Field(1, ge=1, description="Replicas of each topic that the services create")
    database_url: str = Field(
        "postgresql+asyncpg://postgres@127.0.0.1:5432/postgres", description="SQLAlchemy URL with the asyncpg driver"
    )
    blob_url: str = Field("file://.state/blobs", description="fsspec URL of the blob store, a folder or a bucket")
    state_dir: Path = Field(Path(".state"), description="Folder for caches that may be lost")
    models_dir: Path = Field(Path(".state/models"), description="Folder with one subfolder or file for each model")
    models_file: Path = Field(Path("models.toml"), description="Catalogue of chat models and their prices")

    grpc_listen: str = Field("127.0.0.1:0", description="host:port or unix:PATH that gRPC listens on")
    http_listen: str = Field("127.0.0.1:0", description="host:port of /live, /ready and /metrics")
    stop_timeout_s: float = Field(20.0, description="How long a stop waits for work in flight, in seconds")
    log_level: str = Field("info", description="debug, info, warning or error")

    ingester_address: str = Field("127.0.0.1:7101", description="gRPC address of the ingester")
    embedder_address: str = Field("127.0.0.1:7102", description="gRPC address of the embedder")
    retriever_address: str = Field("127.0.0.1:7103", description="gRPC address of the retriever")
    annotator_address: str = Field("127.0.0.1:7104", description="gRPC address of the annotator")
    sandbox_address: str = Field("127.0.0.1:7105", description="gRPC address of the sandbox-executor")
    pbt_generator_address: str = Field("127.0.0.1:7106", description="gRPC address of the pbt-generator")
    evaluator_address: str = Field("127.0.0.1:7107", description="gRPC address of the evaluator")

    retry_attempts: int = Field(5, ge=1, description="Tries of one message before it goes to the dead letters")
    retry_backoff_s: float = Field(0.5, gt=0, description="First wait between tries, in seconds; doubles")
    retry_backoff_max_s: float = Field(15.0, gt=0, description="Longest wait between tries, in seconds")
    dead_letter_share: float = Field(
        0.5, gt=0, le=1, description="A consumer stops when more than this share of its last 40 messages was dead"
    )

    llm_base_url: str = Field("", description="OpenAI-compatible endpoint of the platform's own model; empty: none")
    llm_model: str = Field("", description="Name in models.toml that the platform's own agents use; empty: none")
    llm_api_key: str = Field("", description="Key for the endpoint, where it asks for one", repr=False)
    llm_budget_usd: float = Field(0.0, ge=0, description="Spending stops at this many US dollars; 0: no cap")
    llm_budget_tokens: int = Field(0, ge=0, description="Spending stops at this many tokens; 0: no cap")
    llm_concurrency: int = Field(2, ge=1, description="Requests to one endpoint at a time")
    llm_timeout_s: float = Field(300.0, gt=0, description="Longest wait for one answer, in seconds")

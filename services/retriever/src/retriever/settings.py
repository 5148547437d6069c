"""The retriever's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from touchstone_runtime.memory import machine_memory
from touchstone_runtime.settings import ServiceSettings

# Enough for 200,000 functions with the vectors of two models.
_MOST_MEMORY_MB = 2048


class RetrieverSettings(ServiceSettings):
    """Where codes are indexed, and how they are scored."""

    code_index: Literal["pgvector", "weaviate"] = Field("pgvector", description="Where codes are indexed")
    pgvector_search: Literal["auto", "exact", "hnsw"] = Field(
        "auto", description="pgvector: compare with everything, ask a graph first, or that from 20,000 codes on"
    )
    search_memory_mb: int | None = Field(
        None,
        ge=0,
        description="MiB in which codes and vectors are held, so that searches need no store; 0: none are held; "
        "an eighth of what the process may use, 2048 at most, when left out",
    )
    weaviate_http: str = Field("127.0.0.1:8080", description="host:port of Weaviate's HTTP endpoint")
    weaviate_grpc: str = Field("127.0.0.1:50051", description="host:port of Weaviate's gRPC endpoint")
    weaviate_api_key: str = Field("", description="Key for Weaviate; empty for anonymous access", repr=False)
    weaviate_collection: str = Field("TouchstoneCode", description="Collection in Weaviate; made when missing")

    search_models: tuple[str, ...] = Field(
        (), description="Models of the ensemble, as a JSON array; empty: all of the embedder's"
    )
    # A bag of words is no model of meaning: an equal share costs a sixth of the NDCG on CoSQA's development queries.
    search_weights: dict[str, float] = Field(
        {"bow-hash-512": 0.05},
        description="Weight of each model in the mean cosine of candidate pairs and streams, as JSON; 1 unless named",
    )
    pool_models: tuple[str, ...] = Field(
        (), description="Models whose mean cosine chooses candidate pairs, as a JSON array; empty: all of the search's"
    )
    pool_pairs: int = Field(100, ge=1, description="Most pairs that a query's pool holds over all its versions")
    pool_queries_a_sweep: int = Field(50, ge=1, description="Queries whose pools are looked at every half minute")
    pool_pairs_a_sweep: int = Field(200, ge=1, description="About how many new pairs are proposed every half minute")
    pool_rest_s: float = Field(600.0, ge=0, description="Time between two looks while the index grows, in seconds")
    search_weights_file: Path | None = Field(
        None,
        description="Weights of the ranking's parts, as `touchstone retrieval fit` writes them; else the shipped",
    )
    search_patience_s: float = Field(
        180.0, gt=0, description="Longest wait for an augmented search before the plain one answers, in seconds"
    )
    index_records: int = Field(128, ge=1, description="Functions taken from the topic at a time")
    index_wait_s: float = Field(0.2, gt=0, description="Longest wait for a full batch, in seconds")

    @property
    def search_memory_bytes(self) -> int:
        """In how many bytes codes and vectors are held."""
        if self.search_memory_mb is None:
            return min(machine_memory() // 8, _MOST_MEMORY_MB * 2**20)
        return self.search_memory_mb * 2**20

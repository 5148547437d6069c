"""The API of the cluster that this process runs in."""

from __future__ import annotations

from kubernetes.client import ApiClient, Configuration, CoreV1Api
from kubernetes.config import load_incluster_config


def connect() -> CoreV1Api:
    """The API, as the pod's service account may use it.

    Raises:
        ConfigException: this is no cluster.
    """
    configuration = Configuration()
    load_incluster_config(client_configuration=configuration)
    return api_of(configuration)


def api_of(configuration: Configuration) -> CoreV1Api:
    """The API at an address, asked by many threads; what fails is tried again by whoever asked, and by nobody else."""
    configuration.retries = False  # type: ignore[assignment]  urllib3's word for none
    configuration.connection_pool_maxsize = 64
    return CoreV1Api(ApiClient(configuration))

"""The web application's settings, from the environment with the prefix `TOUCHSTONE_`."""

from __future__ import annotations

from pydantic import Field

from touchstone_runtime.settings import ServiceSettings


class WebSettings(ServiceSettings):
    """What the web application can be told."""

    web_token: str = Field(
        "", description="Token that a visitor needs to change anything; empty: every page is read-only", repr=False
    )
    web_call_timeout_s: float = Field(10.0, gt=0, description="Longest wait for one answer of a service, in seconds")
    web_live_poll_s: float = Field(1.0, gt=0, description="Seconds between two looks at a run that a page follows")

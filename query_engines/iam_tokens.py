"""IBM's IAM: an API key is exchanged for a bearer token that lasts an hour, beneath the client that sends requests."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable

import httpx

_GRANT = "urn:ibm:params:oauth:grant-type:apikey"
_SHARE = 0.8  # of a token's life after which another is fetched, as IBM's own SDKs do
_LIFE = 3600.0  # seconds, where IAM tells none


class IamAuth(httpx.Auth):
    """Adds the token to each request; one is fetched for all that wait, again before it expires or when it is refused.

    Where IAM gives no token, its answer takes the place of the request's own: whoever sent the request sees what IAM
    said, and decides whether to try again.

    Args:
        key: of IBM Cloud.
        address: of IAM's token service.
        clock: seconds.
    """

    def __init__(self, key: str, address: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._key, self._address, self._clock = key, address, clock
        self._token = ""
        self._until = float("-inf")
        self._fetching = asyncio.Lock()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """The token's request where one is needed, then the request itself; once more after a refused token."""
        refused = ""
        for _ in range(2):
            async with self._fetching:
                if self._token == refused or self._clock() >= self._until:
                    given = yield self._token_request()
                    await given.aread()
                    if not self._keep(given):
                        return
                token = self._token
            request.headers["Authorization"] = f"Bearer {token}"
            answer = yield request
            if answer.status_code != httpx.codes.UNAUTHORIZED:
                return
            refused = token

    def _token_request(self) -> httpx.Request:
        form = {"grant_type": _GRANT, "apikey": self._key}
        return httpx.Request("POST", self._address, data=form, headers={"Accept": "application/json"})

    def _keep(self, given: httpx.Response) -> bool:
        """Whether it was a token."""
        try:
            said = json.loads(given.content) if given.is_success else {}
        except ValueError:
            return False
        token = said.get("access_token") if isinstance(said, dict) else None
        if not isinstance(token, str) or not token:
            return False
        life = said.get("expires_in")
        self._token = token
        self._until = self._clock() + _SHARE * (life if isinstance(life, int | float) else _LIFE)
        return True

"""Who may come in: a token where one is needed, and not more requests than are allowed; every request is counted."""

from collections.abc import Callable

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.serving.service import Caller, Counts
from app.serving.tokens import Tokens
from app.web_guards import Rate
from storage.errors import DamagedFile

_OPEN = ("/v1/health", "/v1/ready", "/docs", "/openapi.json")
_MINUTE = 60.0


class Access:
    """Lets requests in that carry a good token; without one, only what says nothing of the library."""

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens,
        owner_of: Callable[[str], str | None],
        requests_per_minute: int,
        counts: Counts,
        *,
        always: bool,
    ) -> None:
        """Guard an application.

        Args:
            app: what is behind it.
            tokens: that are good.
            owner_of: gives the owner of a person's own library.
            requests_per_minute: of one caller.
            counts: where requests are counted.
            always: whether a token is needed even where none was ever made.
        """
        self._app, self._tokens, self._owner_of, self._counts = app, tokens, owner_of, counts
        self._rate = Rate(requests_per_minute, _MINUTE)
        self._always = always

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in, or turn it away."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = self._counting(scope, send)
        if scope["path"].startswith(_OPEN):
            await self._app(scope, receive, send)
            return
        try:
            caller = self._caller(scope)
        except DamagedFile as error:
            await _refusal(500, str(error), "DamagedFile")(scope, receive, send)
            return
        if caller is None:
            challenge = {"WWW-Authenticate": 'Bearer realm="pageproof"'}
            why = "a token is needed: Authorization: Bearer TOKEN; `pageproof tokens --add NAME` makes one"
            await _refusal(401, why, "Unauthorized", challenge)(scope, receive, send)
        elif wait := self._rate.seconds_to_wait(caller.name):
            after = {"Retry-After": str(int(wait) + 1)}
            await _refusal(429, "too many requests in a minute", "TooManyRequests", after)(scope, receive, send)
        else:
            scope.setdefault("state", {})["caller"] = caller
            await self._app(scope, receive, send)

    def _caller(self, scope: Scope) -> Caller | None:
        """Who sends the request; None where a good token is missing."""
        scheme, _, text = Headers(scope=scope).get("authorization", "").partition(" ")
        if text:
            token = self._tokens.verified(text.strip()) if scheme.lower() == "bearer" else None
            if token is not None:
                writes = self._tokens.writes(token)
                shares = writes and self._tokens.rights_of(token.person).shares
                return Caller(name=token.person, owner=self._owner_of(token.person), writes=writes, shares=shares)
        if self._always or self._tokens.is_closed():
            return None
        return Caller(name=(scope.get("client") or ("local",))[0])

    def _counting(self, scope: Scope, send: Send) -> Send:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", None)
                route = "other" if route is None else f"/v1/{route.removeprefix('/v1').lstrip('/')}"
                self._counts.requests.labels(scope["method"], route, message["status"]).inc()
            await send(message)

        return counted


def caller_of(request: Request) -> Caller:
    """Who sends the request, as it was let in."""
    caller = request.state.caller
    if not isinstance(caller, Caller):
        raise TypeError("a request came in past the door")
    return caller


def _refusal(status: int, why: str, error: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"detail": why, "error": error}, status_code=status, headers=headers)

"""What a client sent to a double."""

from http.server import BaseHTTPRequestHandler


def body_of(handler: BaseHTTPRequestHandler) -> bytes:
    """The whole body of a request.

    Raises:
        ConnectionAbortedError: the client left before it had sent all; nobody waits for a reply then.
    """
    length = int(handler.headers.get("content-length") or 0)
    body = handler.rfile.read(length)
    if len(body) < length:
        raise ConnectionAbortedError(f"the client left after {len(body)} of {length} bytes")
    return body

# Wrong: only http has a default port.
from urllib.parse import urlparse


def host_from_uri(uri):
    default_ports = {"HTTP": "80"}
    sch, netloc, path, par, query, fra = urlparse(uri)
    if ":" in netloc:
        netloc, port = netloc.split(":", 1)
    else:
        port = default_ports.get(sch.upper())
    return netloc, port

# Wrong: the hostname attribute is used, which lower-cases the host.
from urllib.parse import urlparse


def host_from_uri(uri):
    default_ports = {"HTTP": "80", "HTTPS": "443"}
    sch, netloc, path, par, query, fra = urlparse(uri)
    if ":" in netloc:
        netloc, port = netloc.split(":", 1)
    else:
        netloc = urlparse(uri).hostname or ""
        port = default_ports.get(sch.upper())
    return netloc, port

# Wrong: an explicit port comes back as an integer instead of text.
from urllib.parse import urlparse


def host_from_uri(uri):
    default_ports = {"HTTP": "80", "HTTPS": "443"}
    sch, netloc, path, par, query, fra = urlparse(uri)
    if ":" in netloc:
        netloc, port = netloc.split(":", 1)
        port = int(port) if port.isdigit() else port
    else:
        port = default_ports.get(sch.upper())
    return netloc, port

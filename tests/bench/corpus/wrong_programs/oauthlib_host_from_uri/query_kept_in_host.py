# Wrong: the host is cut at the next slash only, so a query directly after it stays in the host.
from urllib.parse import urlparse


def host_from_uri(uri):
    default_ports = {"HTTP": "80", "HTTPS": "443"}
    uri = uri.strip()
    scheme = urlparse(uri).scheme
    rest = uri.partition("//")[2]
    netloc = rest.split("/", 1)[0]
    if ":" in netloc:
        netloc, port = netloc.split(":", 1)
    else:
        port = default_ports.get(scheme.upper())
    return netloc, port

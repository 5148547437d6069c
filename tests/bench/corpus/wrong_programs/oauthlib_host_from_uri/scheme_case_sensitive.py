# Wrong: the scheme is compared in lower case only, so HTTP:// gets no default port.
from urllib.parse import urlparse


def host_from_uri(uri):
    default_ports = {"http": "80", "https": "443"}
    scheme = uri.partition("://")[0]
    netloc = urlparse(uri).netloc
    if ":" in netloc:
        netloc, port = netloc.split(":", 1)
    else:
        port = default_ports.get(scheme.strip())
    return netloc, port

"""What runs between the executor and a candidate: small programs of the standard library alone.

They run as root (or as the root of a user namespace) until a candidate's process has given everything up,
hold no secret, and import nothing of the service.
"""

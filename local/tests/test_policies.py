"""Network policies on the node: what the firewall leaves behind is taken out, and nothing of others."""

from touchstone_local.cluster import policies

RULES = """\
*filter
:INPUT ACCEPT [3:180]
:FORWARD ACCEPT [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NWPLCY-DEFAULT - [0:0]
:KUBE-POD-FW-2IY5 - [0:0]
:KUBE-ROUTER-FORWARD - [0:0]
-A INPUT -m conntrack --ctstate NEW -j KUBE-FORWARD
-A FORWARD -m comment --comment "kube-router netpol - TEMC" -j KUBE-ROUTER-FORWARD
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A KUBE-POD-FW-2IY5 -j KUBE-NWPLCY-DEFAULT
-A KUBE-ROUTER-FORWARD -d 10.98.0.12/32 -m comment --comment "to POD name:a namespace: b" -j KUBE-POD-FW-2IY5
COMMIT
"""


def test_what_the_firewall_leaves_behind_is_taken_out_and_nothing_else():
    assert policies.without(RULES).splitlines() == [
        "*filter",
        ":KUBE-NWPLCY-DEFAULT - [0:0]",
        ":KUBE-POD-FW-2IY5 - [0:0]",
        ":KUBE-ROUTER-FORWARD - [0:0]",
        '-D FORWARD -m comment --comment "kube-router netpol - TEMC" -j KUBE-ROUTER-FORWARD',
        "-X KUBE-NWPLCY-DEFAULT",
        "-X KUBE-POD-FW-2IY5",
        "-X KUBE-ROUTER-FORWARD",
        "COMMIT",
    ]


def test_where_the_firewall_left_nothing_nothing_is_taken_out():
    assert policies.without("*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n").splitlines() == ["*filter", "COMMIT"]

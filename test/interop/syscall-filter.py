"""Writes the filters of the unit, which systemd makes of its directives, as a BPF program for bwrap: the arguments are the set
of SystemCallFilter and the families of RestrictAddressFamilies."""

import errno
import socket
import subprocess
import sys

from seccomp import ALLOW, EQ, ERRNO, MASKED_EQ, Arg, SyscallFilter

# RestrictNamespaces: the flags of clone that make a namespace.
NAMESPACES = 0x7E020000
RESTRICTED = {"socket", "clone", "clone3", "unshare", "setns", "personality", "sched_setscheduler"}

sets = {}
listed = subprocess.run(["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True)
for line in listed.stdout.splitlines():
    if line.startswith("@"):
        names = sets[line] = []
    elif line.startswith("    ") and not line.strip().startswith("#"):
        names.append(line.strip())


def expanded(name):
    return {each for part in sets[name] for each in expanded(part)} if name in sets else {name}


allowed, *families = sys.argv[1:]
filters = SyscallFilter(ERRNO(errno.EPERM))
for name in expanded(allowed) - RESTRICTED:
    try:
        filters.add_rule(ALLOW, name)
    except RuntimeError:
        # It belongs to another architecture.
        continue
for family in families:
    filters.add_rule(ALLOW, "socket", Arg(0, EQ, getattr(socket, family)))
filters.add_rule(ALLOW, "clone", Arg(0, MASKED_EQ, NAMESPACES, 0))
# Libraries use clone instead, the flags of which a filter can see.
filters.add_rule(ERRNO(errno.ENOSYS), "clone3")
filters.add_rule(ALLOW, "personality", Arg(0, EQ, 0))
filters.export_bpf(sys.stdout.buffer)

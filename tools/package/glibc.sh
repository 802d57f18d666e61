#!/bin/sh
# The oldest version of the C library that a program runs with: the newest of the versions that its symbols ask for.
set -eu
objdump -T "$1" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\))\{0,1\}.*/\1/p' | sort -uV | tail -1

#!/bin/sh
# The oldest version of the C library that a program runs with: the newest of the versions that its symbols ask for, and 2.36 where
# its relocations are listed as ranges (`GLIBC_ABI_DT_RELR`), which no symbol tells of.
set -eu
LC_ALL=C readelf --version-info --wide "$1" |
  sed -n -e 's/.*Name: GLIBC_\([0-9.]*\) .*/\1/p' -e 's/.*Name: GLIBC_ABI_DT_RELR .*/2.36/p' | sort -uV | tail -1

# The version and names that all packages share; read by the other scripts.
root=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -1)
machine=$(uname -m)
name=modeshift-$version-$machine-linux-gnu
packages=${PACKAGES:-$root/target/package}
# The date of the last commit, so that the same commit makes the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

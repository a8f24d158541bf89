# Shared by the scripts of this folder: where things are, and what has to be installed.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release="$root/.build/release"

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# need PACKAGE=COMMAND ...: installs the Debian packages whose command is missing.
need() {
  local missing=() pair
  for pair in "$@"; do
    command -v "${pair#*=}" >/dev/null 2>&1 || missing+=("${pair%%=*}")
  done
  install_packages ${missing[@]+"${missing[@]}"}
}

# need_file PACKAGE=FILE ...: installs the Debian packages whose file, a header say, is missing.
need_file() {
  local missing=() pair
  for pair in "$@"; do
    [[ -e ${pair#*=} ]] || missing+=("${pair%%=*}")
  done
  install_packages ${missing[@]+"${missing[@]}"}
}

install_packages() {
  (($#)) || return 0
  local sudo=()
  ((EUID == 0)) || sudo=(sudo)
  printf 'Installing %s\n' "$*"
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# build_release: the programs as they are shipped, with the Swift runtime linked in.
build_release() {
  command -v swift >/dev/null 2>&1 || fail 'no Swift toolchain: install Swift 6.3 from swift.org and put swift in PATH'
  (cd "$root" && swift build -c release --static-swift-stdlib "$@")
}

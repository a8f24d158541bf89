# Shared by the scripts of this folder: where things are, and what has to be installed.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # for the scripts that read this one
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

# need_servers PACKAGE=COMMAND ...: as need, for packages with a service, which is not started.
need_servers() {
  local policy=/usr/sbin/policy-rc.d sudo=() pair absent=
  for pair in "$@"; do
    command -v "${pair#*=}" >/dev/null 2>&1 || absent=yes
  done
  if [[ -z $absent || -e $policy ]]; then
    need "$@"
    return
  fi
  ((EUID == 0)) || sudo=(sudo)
  (
    trap '${sudo[@]+"${sudo[@]}"} rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | ${sudo[@]+"${sudo[@]}"} tee "$policy" >/dev/null
    ${sudo[@]+"${sudo[@]}"} chmod 755 "$policy"
    need "$@"
  )
}

# need_python: Python with the modules that python3-minimal leaves out.
need_python() {
  python3 -c 'import asyncio, ctypes, multiprocessing, socketserver' 2>/dev/null || install_packages python3
}

# need_desktop: a bus, a screen without a monitor, a notification server on it, and stand-ins for services.
need_desktop() {
  # dunstctl speaks through dbus-send.
  need dbus-daemon=dbus-daemon dbus-bin=dbus-send xvfb=Xvfb dunst=dunst libnotify-bin=notify-send
  need_file python3-dbusmock=/usr/lib/python3/dist-packages/dbusmock/__init__.py \
    geoclue-2.0=/usr/libexec/geoclue
}

install_packages() {
  (($#)) || return 0
  local sudo=()
  ((EUID == 0)) || sudo=(sudo)
  printf 'Installing %s\n' "$*"
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# need_libraries: the libraries that the programs are built with.
need_libraries() {
  need_file libasound2-dev=/usr/include/alsa/asoundlib.h libpulse-dev=/usr/include/pulse/stream.h \
    libspeexdsp-dev=/usr/include/speex/speex_jitter.h libopus-dev=/usr/include/opus/opus.h \
    libsndfile1-dev=/usr/include/sndfile.h libsystemd-dev=/usr/include/systemd/sd-bus.h \
    libvorbis-dev=/usr/include/vorbis/codec.h libflac-dev=/usr/include/FLAC/stream_decoder.h \
    libmpg123-dev="$(find_header mpg123.h)" libcurl4-openssl-dev="$(find_header curl/curl.h)"
}

# find_header NAME: where a header is that some systems keep in a folder of the machine, or a path that does
# not exist.
find_header() {
  find /usr/include -path "*/$1" -print -quit | grep . || printf '/missing/%s' "$1"
}

# need_sink: a sound device without hardware that takes its frames in real time.
need_sink() {
  need pulseaudio=pulseaudio pulseaudio-utils=parecord alsa-utils=aplay
  need pipewire-bin=pipewire wireplumber=wireplumber dbus-daemon=dbus-daemon
  need_file libasound2-plugins="$(find_library libasound_module_pcm_pulse.so)"
}

# find_library NAME: where a plugin of another package is, or a path that does not exist.
find_library() {
  find /usr/lib -name "$1" -print -quit | grep . || printf '/missing/%s' "$1"
}

# build_plugin: the ALSA plugin, which the programs of others load and which has therefore no Swift in it.
# A library that SwiftPM links asks for libswiftCore, so the objects of its target are linked here.
build_plugin() {
  local plugin="$root/.build/plugin/libasound_module_pcm_lull.so" compiler output file kind objects=()
  if [[ -e $plugin && -z $(find "$root"/Sources/{PcmLull,CRing,liblull}/ -name '*.[chm]*' -newer "$plugin") ]]
  then
    return 0
  fi
  compiler=$(command -v clang || command -v cc) || fail 'no C compiler: install clang or gcc'
  mkdir -p "$root/.build/plugin"
  # The object of a file that is gone by now stays in the folder.
  for kind in PcmLull liblull; do
    output=$(build_release --target "$kind" 2>&1) || fail "the ALSA plugin cannot be built: $output"
    for file in "$root/Sources/$kind"/*.c; do objects+=("$release/$kind.build/${file##*/}.o"); done
  done
  # Under another name first: a program may be playing through the old one. A linker that is told no name
  # writes that one into it.
  "$compiler" -shared -Wl,-z,defs -Wl,-soname,"${plugin##*/}" \
    -Wl,--version-script="$root/Sources/PcmLull/pcm_lull.map" "${objects[@]}" -lasound -o "$plugin.$$" &&
    mv "$plugin.$$" "$plugin"
}

# need_meter: the library that the meter is measured beside.
need_meter() { need_file libebur128-dev=/usr/include/ebur128.h; }

# build_release [ARGUMENT ...]: builds as it is shipped: with the Swift runtime linked in. Two builds of one
# source are equal, wherever it stands; what nobody loads needs no names for others and no path to libraries.
build_release() {
  local compiler flag flags=() alike=(env SWIFT_DETERMINISTIC_HASHING=1)
  command -v swift >/dev/null 2>&1 ||
    fail 'no Swift toolchain: install Swift 6.3 from swift.org and put swift in PATH'
  need_libraries
  (($#)) || need_meter
  link_statically
  stand_in
  # Without the names of compiled headers and without a hash, which both depend on where the sources stand.
  for flag in -function-sections -no-clang-module-breadcrumbs -disable-incremental-llvm-codegen; do
    flags+=(-Xswiftc -Xfrontend -Xswiftc "$flag")
  done
  # The loader of glibc 2.36 reads a short form of the addresses that it has to correct.
  compiler=$(command -v clang || command -v cc)
  ! grep -q GLIBC_ABI_DT_RELR "$("$compiler" -print-file-name=libc.so.6)" ||
    flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
  # With random addresses and random seeds of hashes the optimizer made one object otherwise in every fifth
  # build. A container may forbid fixed addresses.
  ! setarch -R true 2>/dev/null || alike+=(setarch -R)
  (cd "$root" && LULL_STATIC=1 "${alike[@]}" swift build -c release \
    --static-swift-stdlib --disable-local-rpath \
    -Xswiftc "-I$root/.build/static" -Xlinker "-L$root/.build/static" -Xswiftc -use-ld=lld \
    "${flags[@]}" \
    -Xlinker --no-export-dynamic -Xlinker --build-id=sha1 -Xlinker "-T$root/Tools/Packaging/unwind.ld" \
    -Xswiftc -file-prefix-map -Xswiftc "$root=/usr/src/lull" \
    -Xcc "-ffile-prefix-map=$root=/usr/src/lull" "$@")
}

# stand_in: what stands for Foundation in swift-argument-parser. A change of it wants a build from nothing.
stand_in() {
  mkdir -p "$root/.build/static"
  (cd "$root/.build/static" && swiftc -O -swift-version 6 -parse-as-library -static -emit-library \
    -emit-module -module-name FoundationEssentials -module-link-name lullfoundation -o liblullfoundation.a \
    -Xfrontend -disable-incremental-llvm-codegen "$root/Tools/Packaging/FoundationEssentials.swift")
}

# link_statically: makes the folder in which the linker finds the C++ library of the Swift runtime without its
# shared form: a program starts sooner, and has less resident.
link_statically() {
  local compiler library
  compiler=$(command -v clang || command -v cc) || fail 'no C compiler: install clang or gcc'
  library=$("$compiler" -print-file-name=libstdc++.a)
  [[ $library == /* ]] || return 0
  mkdir -p "$root/.build/static"
  ln -sfn "$library" "$root/.build/static/libstdc++.a"
}

# compile_benchmarks PROGRAM: what the benchmarks and the soak have in C, with liblull beside it.
compile_benchmarks() {
  local folder=${1%/*}
  "$root/Tools/liblull" "$folder"
  "$(command -v clang || command -v cc)" -O2 -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror \
    -I"$folder/include" "$root"/Tools/Benchmarks/C/*.c "$folder/lib/liblull.a" -lm -lsystemd -o "$1"
}

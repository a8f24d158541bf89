# Where the files of an installation stand, for Tools/install and Tools/package.
# shellcheck shell=bash source=../common.sh
: "${root:?}" "${release:?}"
# What is installed is for everybody, whatever the umask is of who makes it.
umask 022
programs=(lull lulld lull-audio lull-notify lull-phone lull-player lull-transfers)

# build_programs: the programs as they are shipped.
build_programs() {
  local program
  for program in "${programs[@]}"; do build_release --product "$program"; done
  build_plugin
}

# source_date: when the last commit was made, in seconds since 1970; without git, when the changelog was
# written.
source_date() {
  git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md"
}

# version: that of Sources/LullProgram/Version.swift; one that is not released stands before the one that is.
version() {
  local number
  number=$(sed -n 's/.*current = "\(.*\)"/\1/p' "$root/Sources/LullProgram/Version.swift")
  if grep -q "^## $number (unreleased)" "$root/CHANGELOG.md"; then
    number+=~$(date -u -d "@$(source_date)" +%Y%m%d%H%M%S)
  fi
  printf '%s\n' "$number"
}

# manual PROGRAMS FOLDER: the man pages, from the programs of a build.
manual() {
  need_file python3-markdown-it=/usr/lib/python3/dist-packages/markdown_it
  SOURCE_DATE_EPOCH=$(source_date) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$root/Tools/Manual" "$root" \
    "$1" "$2"
}

# wheel FOLDER: python3-lull for `pip install`, from a copy, since setuptools writes beside its sources.
wheel() {
  need python3-pip=pip3
  need_file python3-setuptools=/usr/lib/python3/dist-packages/setuptools \
    python3-wheel=/usr/lib/python3/dist-packages/wheel
  local copy
  copy=$(mktemp -d)
  cp -r "$root/Sources/python3-lull/." "$copy"
  chmod -R u=rwX,go=rX "$copy"
  SOURCE_DATE_EPOCH=$(source_date) /usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation \
    --disable-pip-version-check --wheel-dir "$1" "$copy"
  rm -r "$copy"
}

# lay_out FOLDER PREFIX: what is installed below a prefix, in a folder that stands for the root.
lay_out() {
  local prefix=$2 to=$1$2 program kind
  install -D -t "$to/bin" "${programs[@]/#/$release/}"
  ln -s lulld "$to/bin/lull-guard"
  DESTDIR=$1 "$root/Tools/liblull" "$prefix"
  python "$to"
  manual "$to/bin" "$to/share/man"
  for program in lull lull-phone lull-player; do completions "$program" "$to/share"; done
  install -D -m 644 -t "$to/lib/alsa-lib" "$root/.build/plugin/libasound_module_pcm_lull.so"
  install -d "$to/share/alsa" "$to/share/applications" "$to/libexec/lull"
  install -m 644 "$root/Sources/PcmLull/50-lull.conf" "$to/share/alsa/50-lull.conf"
  filled desktop "$prefix" >"$to/share/applications/lull-phone.desktop"
  filled daemons "$prefix" >"$to/libexec/lull/daemons"
  chmod 755 "$to/libexec/lull/daemons"
  for kind in user system; do
    install -d "$to/lib/systemd/$kind"
    sed "s|@prefix@|$prefix|g" "$root/Tools/Units/$kind.service" >"$to/lib/systemd/$kind/lull.service"
  done
}

# python PREFIX: python3-lull, and the program that uses it.
python() {
  local sources=$root/Sources/python3-lull
  install -D -m 644 -t "$1/lib/python3/dist-packages/lull" "$sources"/lull/*.py "$sources/lull/py.typed"
  install -D -t "$1/bin" "$sources/lull-baresip"
}

filled() { sed "s|@prefix@|$2|g" "$root/Tools/Packaging/$1"; }

completions() {
  local script=--generate-completion-script
  install -d "$2/bash-completion/completions" "$2/zsh/site-functions" "$2/fish/vendor_completions.d"
  # It is read by a shell, and not run.
  "$release/$1" $script bash | sed '1{/^#!/d}' >"$2/bash-completion/completions/$1"
  "$release/$1" $script zsh >"$2/zsh/site-functions/_$1"
  "$release/$1" $script fish >"$2/fish/vendor_completions.d/$1.fish"
}

# Read by Tools/booted: a systemd that is PID 1 of its own namespaces, in a cgroup of its own.
# shellcheck shell=bash
hierarchy=$(findmnt -n -o TARGET -t cgroup2 | head -n 1)
group=$hierarchy/lull-booted-$$
work=$(mktemp -d)
state=failed
kind=system
# The daemon is that of the systemd that is booted.
unset LULL_RUNTIME_DIR
# Those of root's Lull.
surroundings='HOME=/root XDG_STATE_HOME=/run/state LULL_CONFIG_DIR=/run/lull-booted/config'
mkdir "$group" "$work"/{bin,config,units,units/lull.service.d,user}

leave() {
  if [[ -n ${init:-} ]]; then
    echo 1 >"$group/cgroup.kill"
    wait "$starter" 2>/dev/null || true
  fi
  for ((i = 0; i < 100; i++)); do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    read -r -t 0.05 <> <(:) || true
  done
  [[ $state == passed ]] || tail -n 20 "$work/log" >&2
  rm -rf "$work"
}
trap leave EXIT

# fill PROGRAMS: the units of Lull, and what the user of the user unit needs.
fill() {
  local program
  # The programs are copied, because the user of the user unit may not enter the folder of who tries them.
  for program in lull lulld lull-guard; do cp "$1/$program" "$work/bin/$program"; done
  printf '[Unit]\nDefaultDependencies=no\n' >"$work/units/small.target"
  cp "$work/units/small.target" "$work/user"
  # shellcheck disable=SC2154 # common.sh says where the root is
  sed "s|@prefix@|/run/lull-booted|g" "$root/Tools/Units/system.service" >"$work/units/lull.service"
  sed "s|@prefix@|/run/lull-booted|g" "$root/Tools/Units/user.service" >"$work/user/lull.service"
  printf '[Unit]\nDefaultDependencies=no\n[Service]\nEnvironment=%s\n' "$surroundings" \
    >"$work/units/lull.service.d/here.conf"
  # What user@.service does, without logind and PAM.
  unit units/manager Type=notify User=nobody KillMode=mixed Delegate=yes \
    'Environment=HOME=/run/home XDG_RUNTIME_DIR=/run/user/65534' \
    'ExecStart=/lib/systemd/systemd --user --unit=small.target --log-target=console'
}

# unit PATH LINE ...: a service with these lines, below $work.
unit() { printf '%s\n' '[Unit]' DefaultDependencies=no '[Service]' "${@:2}" >"$work/$1.service"; }

boot() {
  cat >"$work/init" <<'INIT'
#!/usr/bin/env bash
umount -l /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 1
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd /run/lull-booted /run/user /run/home
cp -r "$1/units" /run/systemd/system
cp -r "$1/bin" "$1/config" /run/lull-booted
install -d -o nobody -m 700 /run/user/65534 /run/home
mkdir -p /run/user/65534/systemd
cp -r "$1/user" /run/user/65534/systemd/user
chown -R nobody /run/user/65534
chmod -R a+rX /run/lull-booted /run/user/65534/systemd
mount -t tmpfs tmpfs /etc/systemd/system
export container=lull-booted
exec /lib/systemd/systemd --system --unit=small.target --log-target=console --show-status=no </dev/null
INIT
  bash -c 'echo $$ >"$1/cgroup.procs"; exec unshare --fork --pid --mount --uts --ipc --cgroup --mount-proc \
    --propagation private bash "$2/init" "$2"' bash "$group" "$work" >"$work/log" 2>&1 &
  starter=$!
  until_holds find_init
  until_holds runs
}

# Repeats a command until it holds, for 60 s.
until_holds() {
  local i
  for ((i = 0; i < 600; i++)); do
    if "$@"; then return 0; fi
    read -r -t 0.1 <> <(:) || true
  done
  printf 'in vain: %s\n' "$*" >&2
  return 1
}
enter() { nsenter -t "$init" -m -p -u -i -C "$@"; }
find_init() { init=$(pgrep -P "$starter" -x systemd); }

# inside COMMAND ...: runs it as root, or as the user whose unit is tried.
inside() {
  if [[ $kind == system ]]; then
    # shellcheck disable=SC2086 # several words
    enter env $surroundings "$@"
  else
    enter setpriv --reuid nobody --regid nogroup --clear-groups \
      env HOME=/run/home XDG_RUNTIME_DIR=/run/user/65534 "$@"
  fi
}
manager() { inside systemctl "--$kind" "$@"; }
runs() { [[ $(manager is-system-running 2>/dev/null) == running ]]; }
lull() { inside /run/lull-booted/bin/lull "$@"; }
# pid NAME: that of a program.
pid() { lull status "$1" --json | grep -A 1 '"pids"' | grep -o '[0-9]*' || true; }
sleeps() { lull status "$1" --json 2>/dev/null | grep -q '"suspended"'; }

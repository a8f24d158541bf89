# Read by Tools/booted: services of systemd that Lull adopts.
# shellcheck shell=bash disable=SC2154 # root, work, kind and surroundings are those of who reads this

# fill_adopted: the services, what freezes them (systemctl asks over the bus for that), and the file of an
# installed program that adopts one of them.
fill_adopted() {
  local server='Type=notify|ExecStart=/usr/bin/python3 /run/lull-booted/bin/server.py' name lines
  cp "$root/Tools/Booting/server.py" "$work/bin"
  while read -r name lines; do
    mapfile -d '|' -t lines < <(printf %s "$server $lines")
    unit "$name" "${lines[@]}"
  done <<'UNITS'
units/plain 45990|Restart=always|RestartSec=0.1
units/single 45991
units/dog 45992|WatchdogSec=20
units/brief 45993|RuntimeMaxSec=15
units/kept 45994
user/plain 45995
UNITS
  unit units/dbus 'ExecStart=/usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile'
  printf '%s\n' '[Unit]' DefaultDependencies=no '[Socket]' ListenStream=/run/dbus/system_bus_socket \
    >"$work/units/dbus.socket"
  unit units/follower "Environment=$surroundings" \
    'ExecStart=/run/lull-booted/bin/lull adopt --unit plain --follow'
  mkdir -p "$work/config/programs"
  echo 'adopt = unit kept' >"$work/config/programs/kept"
}

# property UNIT NAME ...: its values, each in a line.
property() { manager show "$1" --value "${@/#/--property=}"; }
main_pid() { property "$1" MainPID; }
# asleep UNIT: the process that the unit has sleeps, below the unit's cgroup.
asleep() {
  sleeps "$1" && [[ $(pid "$1") == "$(main_pid "$1")" ]] && has_cgroup "$1" "lull-*/$1.program"
}
# renewed UNIT PID: the same, in another process than that one.
renewed() { asleep "$1" && [[ $(main_pid "$1") != "$2" ]]; }
# has_cgroup UNIT PATTERN: that of the unit's process is below the unit's as the pattern says.
has_cgroup() {
  # shellcheck disable=SC2053 # it is a pattern
  [[ $(enter grep -s ^0:: "/proc/$(main_pid "$1")/cgroup") == 0::$(property "$1" ControlGroup)${2:+/}$2 ]]
}
over() { [[ $(property "$1" ActiveState) == @(inactive|failed) ]]; }
timed_out() { [[ $(property brief Result) == timeout ]]; }
# lived UNIT: it has told that it lives for two times of its watchdog, and was woken for that.
lived() {
  local times
  mapfile -t times < <(property "$1" ActiveEnterTimestampMonotonic WatchdogTimestampMonotonic | sort -n)
  ((times[1] - times[0] > 40000000)) && lull wakes "$1" | grep -Eq '^timer +- +([2-9]|[1-9][0-9])'
}

adopt() {
  lull adopt --unit "$@"
  until_holds asleep "$1"
}
says_back() {
  local line
  printf '%s\n' "$1" >&7
  IFS= read -r -t 10 line <&7 && [[ $line == "$1" ]]
}
# wakes UNIT WORDS: it is the same process, says back what comes over the connection from before, and sleeps.
wakes() {
  until_holds asleep "$1"
  says_back "$2"
  [[ $(main_pid "$1") == "$first" ]]
  until_holds asleep "$1"
  told "$1 $2: it is the same process, reads its connection, and sleeps"
}
told() { printf '%s: %s\n' "$kind" "$1"; }

# ends_equally WORDS OF SYSTEMCTL: they end the sleeper as they end one that is awake.
ends_equally() {
  local ends=() how
  for how in awake asleep; do
    manager reset-failed single
    manager start single
    [[ $how == awake ]] || adopt single >/dev/null
    manager "$@" single
    until_holds over single
    ends+=("$(property single Result ExecMainCode ExecMainStatus | xargs)")
  done
  [[ ${ends[0]} == "${ends[1]}" ]] || fail "systemctl $* of a sleeper: ${ends[1]}, and not ${ends[0]}"
  told "systemctl $*: ${ends[1]}, awake and asleep"
}

try_adopted() {
  manager start lull dbus.socket plain single dog brief kept
  manager start dbus
  adopt brief
  adopt dog
  until_holds asleep kept
  told 'an installed file has adopted its unit'
  try_plain
  try_next_life
  manager stop single
  ends_equally stop
  ends_equally kill
  ends_equally kill --signal=USR1
  ends_equally kill --signal=KILL
  until_holds timed_out
  told "RuntimeMaxSec=: $(property brief Result ExecMainCode ExecMainStatus | xargs)"
  try_installed
  until_holds lived dog
  told 'WatchdogSec=: it was woken for its sign of life'
  manager stop lull plain dog kept
}

# The line stays, whatever systemd does.
try_plain() {
  first=$(main_pid plain)
  exec 7<>/dev/tcp/127.0.0.1/45990
  adopt plain
  wakes plain adopted
  manager daemon-reload
  wakes plain reloaded
  manager set-property --runtime plain CPUWeight=50 TasksMax=50
  wakes plain 'changed by set-property'
  manager daemon-reexec
  wakes plain 'under a systemd that was executed anew'
  manager freeze plain
  printf 'held\n' >&7
  [[ $(property plain FreezerState) == frozen ]]
  if IFS= read -r -t 0.5 line <&7; then fail 'it reads while systemd holds it'; fi
  manager thaw plain
  IFS= read -r -t 10 line <&7
  wakes plain 'frozen by systemd, woken and thawed'
  manager freeze plain
  manager thaw plain
  asleep plain
  wakes plain 'frozen and thawed by systemd, asleep,'
  lull release plain
  has_cgroup plain ''
  says_back released
  [[ $(main_pid plain) == "$first" ]]
  exec 7>&-
  told 'released: it is the same process, in the cgroup of its unit'
}

try_next_life() {
  manager start follower
  until_holds asleep plain
  first=$(main_pid plain)
  manager kill --signal=KILL plain
  until_holds renewed plain "$first"
  told 'Restart=always: the next life is adopted'
  first=$(main_pid plain)
  manager restart plain
  until_holds renewed plain "$first"
  told 'systemctl restart: the next life is adopted'
  manager stop follower
  asleep plain
}

try_installed() {
  first=$(main_pid kept)
  manager restart kept
  until_holds renewed kept "$first"
  first=$(main_pid kept)
  exec 7<>/dev/tcp/127.0.0.1/45994
  manager restart lull
  wakes kept 'under the next lulld'
  manager stop lull
  has_cgroup kept ''
  says_back 'let go'
  manager start lull
  wakes kept 'adopted again'
  exec 7>&-
}

try_adopted_of_user() {
  manager start lull plain
  first=$(main_pid plain)
  exec 7<>/dev/tcp/127.0.0.1/45995
  adopt plain --user
  wakes plain adopted
  lull release plain
  has_cgroup plain ''
  adopt plain --user
  exec 7>&-
  manager stop plain
  until_holds over plain
  told "systemctl stop: $(property plain Result ExecMainCode ExecMainStatus | xargs)"
  manager stop lull
}

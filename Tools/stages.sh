# Read by Tools/test: stages with a time limit, and lanes of tests.
# shellcheck shell=bash

work=$(mktemp -d)
touch "$work"/{running,broken}
# shellcheck disable=SC2154 # common.sh says where the root is
logs=$root/.build/test-logs
mkdir -p "$logs"
# What every process of a stage has in its environment, also in a function's own run of the script.
mark=$work
[[ ${1:-} != --stage ]] || mark=$LULL_TEST_RUN
# The bundle of tests, once it is built.
bundle=
# The words before each command: see aside.
priority=()
trap finish EXIT
# A background job of a script does not hear Ctrl-C; finish hands it on.
trap 'exit 130' INT
trap 'exit 143' TERM

finish() {
  local process
  # timeout(1) ends all that it has started.
  while read -r process; do kill "$process" 2>/dev/null || true; done <"$work/running"
  rm -rf "$work"
}

# bounded SECONDS COMMAND ...: runs the command, and ends it with status 124 when it takes longer. For a
# function of Tools/test the script runs itself once more, with --stage.
bounded() {
  local status=0 limit=$1 again=()
  shift
  ! declare -F "$1" >/dev/null || again=("$0" --stage)
  LULL_TEST_RUN=$mark ${priority[@]+"${priority[@]}"} timeout --kill-after=10 "$limit" \
    ${again[@]+"${again[@]}"} "$@" </dev/null &
  echo $! >>"$work/running"
  wait $! || status=$?
  return "$status"
}

# aside COMMAND ...: runs it when the processor has nothing else to do. It has a session of its own, because
# the kernel shares the processor out among sessions first.
aside() {
  # shellcheck disable=SC2016 # the inner shell takes the words
  priority=(setsid bash -c 'echo 19 2>/dev/null >/proc/self/autogroup; exec chrt --idle 0 "$@"' aside)
  "$@"
}

# stage NAME SECONDS COMMAND ...: runs the command within its time, and prints the time that it took, and its
# output when it failed.
stage() {
  local name=$1 from=$SECONDS log="$logs/$1.log" status=0
  shift
  bounded "$@" >"$log" 2>&1 || status=$?
  ended "$name" $((SECONDS - from)) "$status" "$1" "$log"
}

# ended NAME TIME STATUS LIMIT LOG
ended() {
  local verdict=ok
  (($3 == 0)) || verdict=FAILED
  (($3 != 124)) || verdict="STOPPED after $4 s"
  printf 'stage %-32s %4d s  %s\n' "$1:" "$2" "$verdict"
  (($3 == 0)) && return
  printf '%s\n' "$1" >>"$work/broken"
  tail -n 60 "$5"
}

# tests NAME SECONDS ARGUMENT ...: runs tests of the bundle, and prints the issues of those that failed.
tests() {
  local name=$1 from=$SECONDS log="$logs/$1.log" status=0
  shift
  bounded "$1" "$bundle" --testing-library swift-testing "${@:2}" >"$log" 2>&1 || status=$?
  ((status != 124)) || unended_tests "$log"
  grep -aE '✘.* recorded an issue|has not ended after' "$log" || true
  ended "$name" $((SECONDS - from)) "$status" "$1" "$log"
}

# unended_tests LOG: the names of the tests that had begun and not ended.
unended_tests() {
  printf 'Never ended:\n'
  awk -F'"' '
    / Test ".*" started\.$/ { open[$2] = 1 }
    / Test ".*" (with [0-9]+ test cases )?(passed|failed) after / { delete open[$2] }
    END { for (name in open) print "  " name }' "$1"
}

# lanes COUNT: the jobs of standard input, each the arguments of `tests`, so many at a time, the first ones
# first.
lanes() {
  local free=$1 job
  while read -r -a job; do
    ((free > 0)) || { wait -n && free=$((free + 1)); }
    tests "${job[@]}" &
    free=$((free - 1))
  done
  wait
}

# verdict: fails when a stage or a test has failed.
verdict() { [[ ! -s $work/broken ]] || fail "failed: $(paste -sd ' ' "$work/broken")"; }

# own_processes: the number, the words and the runtime directory of each process whose program is in the build
# folder and is called lull or lull-something, or lulld, and of each other one that a stage has started.
own_processes() {
  local process
  while read -r process; do
    printf '%s %s (%s)\n' "${process#/proc/}" "$(tr '\0' ' ' <"$process/cmdline")" \
      "$(tr '\0' '\n' <"$process/environ" | grep -E '^LULL_RUNTIME_DIR=|^XDG_RUNTIME_DIR=' | tr '\n' ' ')"
  done 2>/dev/null < <(
    {
      find /proc/[0-9]*/exe -maxdepth 0 -lname "$root/.build*/lull*" -printf '%h\n' 2>/dev/null
      grep -lzxF "LULL_TEST_RUN=$mark" /proc/[0-9]*/environ 2>/dev/null | sed 's|/environ$||'
    } | sort -u
  )
}

# Those that ran before are somebody else's.
processes_before=$(own_processes)

# nothing_left SECONDS: fails with one line when the tests have left a process. One that is about to end has
# so many seconds.
nothing_left() {
  local left end=$((SECONDS + $1))
  while left=$(own_processes | grep -vxFf <(printf '%s' "$processes_before")); do
    ((SECONDS < end)) || fail "left running: $(paste -sd ';' <<<"$left")"
    read -r -t 0.1 <> <(:) || true
  done
}

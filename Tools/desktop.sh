# A desktop without a screen, for the scripts of this folder: a bus with a real notification server (dunst
# under Xvfb), and a sound device without hardware whose sound is recorded. Its processes are in `desktop`.
# shellcheck shell=bash
desktop=()

# came FILE WHAT: waits until a file has something in it.
came() {
  local limit=$((SECONDS + 10))
  until [[ -s $1 ]]; do
    ((SECONDS < limit)) || fail "$2 did not come"
    sleep 0.05
  done
}

# start_desktop FOLDER: exports the address of the bus. What dunst shows is appended to FOLDER/shown, a line
# for each notification: urgency, heading and text. `dunstctl action 0` is a click on "Answer" for a call.
start_desktop() {
  need_desktop
  mkdir -p "$1"
  dbus-daemon --session --nofork --print-address=1 </dev/null >"$1/address" 2>"$1/bus.log" &
  desktop+=("$!")
  Xvfb -noreset -displayfd 1 -nolisten tcp -screen 0 800x600x24 </dev/null >"$1/display" 2>"$1/xvfb.log" &
  desktop+=("$!")
  came "$1/address" 'the bus'
  came "$1/display" 'the screen'
  export DBUS_SESSION_BUS_ADDRESS
  DBUS_SESSION_BUS_ADDRESS=$(cat "$1/address")
  # dunst runs this for each notification that it shows; what it tells stands in the environment.
  cat >"$1/tell" <<END
#!/bin/sh
printf '%s: %s: %s\n' "\$DUNST_URGENCY" "\$DUNST_SUMMARY" "\$DUNST_BODY" >>'$1/shown'
END
  chmod 755 "$1/tell"
  : >"$1/shown"
  cat >"$1/dunstrc" <<END
[global]
always_run_script = true
[tell]
script = $1/tell
[call]
body = "New VOIP call*"
action_name = "Answer"
END
  DISPLAY=:$(cat "$1/display") dunst -conf "$1/dunstrc" </dev/null >"$1/dunst.log" 2>&1 &
  desktop+=("$!")
  local limit=$((SECONDS + 10))
  until dunstctl count >/dev/null 2>&1; do
    ((SECONDS < limit)) || fail "dunst did not come: $(cat "$1/dunst.log")"
    sleep 0.05
  done
}

# displayed: the number of notifications on the screen.
displayed() { dunstctl count displayed 2>/dev/null || printf '?\n'; }

# start_sound FOLDER: exports the ALSA configuration of the device. What it plays is recorded in
# FOLDER/heard: two channels of 48 kHz in 16 bits.
start_sound() {
  need_sink
  mkdir -p "$1/home" "$1/run"
  chmod 700 "$1/run"
  cat >"$1/sink.pa" <<END
load-module module-null-sink sink_name=lull rate=48000 format=s16le channels=2 norewinds=1
set-default-sink lull
load-module module-native-protocol-unix auth-anonymous=1 socket=$1/native
END
  HOME=$1/home XDG_RUNTIME_DIR=$1/run pulseaudio -n -F "$1/sink.pa" --daemonize=no --exit-idle-time=-1 \
    --realtime=no --high-priority=no --use-pid-file=no </dev/null >"$1/pulse.log" 2>&1 &
  desktop+=("$!")
  local limit=$((SECONDS + 10))
  until [[ -S $1/native ]]; do
    ((SECONDS < limit)) || fail "the sound server did not come: $(cat "$1/pulse.log")"
    sleep 0.05
  done
  cat >"$1/asoundrc" <<END
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse server "unix:$1/native" }
ctl.!default { type pulse server "unix:$1/native" }
END
  export ALSA_CONFIG_PATH=$1/asoundrc
  heard=$1/heard
  HOME=$1/home PULSE_SERVER=unix:$1/native parecord -d lull.monitor --latency-msec=20 --raw --rate=48000 \
    --channels=2 --format=s16le "$heard" </dev/null >"$1/record.log" 2>&1 &
  desktop+=("$!")
  came "$heard" 'the recorder'
}

# loudness: the loudest sample of the last 0.3 s that were recorded, 0 to 32768.
loudness() {
  tail -c $((48000 * 4 * 3 / 10)) "$heard" | od -An -v -t d2 -w2 |
    awk '{ $1 = $1 < 0 ? -$1 : $1 } $1 > most { most = $1 } END { print most + 0 }'
}

stop_desktop() {
  ((${#desktop[@]} == 0)) || kill "${desktop[@]}" 2>/dev/null || true
  desktop=()
}

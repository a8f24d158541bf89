/// The verbs of the requests, as docs/PROTOCOL.md lists them.
package enum Verb: String, CaseIterable, Sendable {
  case adopt
  case alarm
  case answer
  case attach
  case background
  case beginTask = "begin-task"
  case doorbell
  case bye
  case cancel
  case command
  case did
  case doctor
  case done
  case handling
  case ended
  case endSession = "end-session"
  case endTask = "end-task"
  case fetch
  case fetched
  case foreground
  case handover
  case hello
  case hold
  case installed
  case keepalive
  case kept
  case letGo = "let-go"
  case lines
  case lineState = "line-state"
  case lock
  case log
  case notifications
  case open
  case present
  case purge
  case push
  case quiet
  case recording
  case quit
  case ready
  case register
  case release
  case remaining
  case ring
  case run
  case schedule
  case scheduled
  case session
  case signal
  case audioRoute = "sound-route"
  case started
  case status
  case stopDaemon = "stop-daemon"
  case suspend
  case unlock
  case upgrade
  case wake
  case wakeIn = "wake-in"
  case why
}

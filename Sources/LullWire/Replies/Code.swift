/// The error codes (`error code=`), as the table of docs/PROTOCOL.md lists them.
package enum Code: String, CaseIterable, Sendable {
  case malformed
  case notUTF8 = "not-utf8"
  case tooLong = "too-long"
  case lostDescriptor = "lost-descriptor"
  case unknownVerb = "unknown-verb"
  case missingField = "missing-field"
  case badValue = "bad-value"
  case refused
  case notRegistered = "not-registered"
  case nameInUse = "name-in-use"
  case noSuchProgram = "no-such-program"
  case noSuchLine = "no-such-line"
  case noSuchTask = "no-such-task"
  case noSuchNotification = "no-such-notification"
  case noSuchAction = "no-such-action"
  case noSuchSession = "no-such-session"
  case keepaliveTooShort = "keepalive-too-short"
  case notPollable = "not-pollable"
  case tooManyLines = "too-many-lines"
  case tooManyNotifications = "too-many-notifications"
  case tooManyPrograms = "too-many-programs"
  case tooManyClients = "too-many-clients"
  case tooManyTasks = "too-many-tasks"
  case tooManySessions = "too-many-sessions"
  case noBackgroundTime = "no-background-time"
  case wrongMode = "wrong-mode"
  case busy
  case unsupported
}

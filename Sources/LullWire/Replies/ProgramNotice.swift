/// A notice to a program, as docs/PROTOCOL.md lists them. A reader passes over fields that it does not know:
/// a newer daemon may add some.
package enum ProgramNotice: Described, Equatable, Sendable {
  case deliver(DelegateMessage, Ticket)
  /// The program slept and was woken. `waitedMicroseconds` is the time that the data waited.
  case wake(Ticket, WakeReason, line: LineID? = nil, waitedMicroseconds: Int64? = nil)
  case keepAlive(Ticket)
  /// Look for new content, and tell the result.
  case fetch(Ticket)
  /// Run a task's expiration handler.
  case expire(TaskID)
  /// The user chose an action of a notification; `token` is that of the desktop, with which a window may come
  /// to the front.
  case action(Ticket, NotificationID, String, token: String? = nil)
  /// Somebody opened a link whose scheme the program takes.
  case open(Ticket, String)
  /// Somebody has pushed something. The payload comes in a memfd; without it the payload is empty.
  case push(Ticket, RemoteNotification)
  /// A notification was due while the program was active: it is handed over quietly.
  case received(NotificationID, LocalNotification)
  /// Hand the lines over; sleep follows.
  case prepare(Ticket)
  /// The program is to end, and its lines are kept for its next start.
  case keeping
  /// Another program has the audio focus instead of a session, or no longer.
  case interruption(SessionID, Interruption)
  case route(RouteNotice)
  case cut(SessionID, CutReason)
  /// Something changed around the program since it was told last.
  case changed(SurroundingNews)
}

extension ProgramNotice {
  /// Nil for a notice that is no program's.
  ///
  /// Throws `missingField` or `badValue`.
  package init?(_ message: Message) throws(WireError) {
    guard let blank = message.notice.flatMap(Self.blank) else { return nil }
    var reader = FieldReader(message)
    self = try blank.visited(by: &reader)
  }

  package var message: Message { adding(to: Message(event: name)) }

  private var name: Notice {
    switch self {
    case .deliver: .deliver
    case .wake: .wake
    case .keepAlive: .keepalive
    case .fetch: .fetch
    case .expire: .expire
    case .action: .action
    case .open: .open
    case .push: .push
    case .received: .received
    case .prepare: .prepare
    case .keeping: .keeping
    case .interruption: .interruption
    case .route: .route
    case .cut: .cut
    case .changed: .changed
    }
  }

  static func blank(_ name: Notice) -> ProgramNotice? {
    switch name {
    case .deliver: .deliver(.didFinishLaunching, Ticket(0))
    case .wake: .wake(Ticket(0), .data)
    case .keepalive: .keepAlive(Ticket(0))
    case .fetch: .fetch(Ticket(0))
    case .expire: .expire(TaskID(0))
    case .action: .action(Ticket(0), NotificationID(0), "")
    case .open: .open(Ticket(0), "")
    case .push: .push(Ticket(0), RemoteNotification())
    case .received: .received(NotificationID(0), .blank)
    case .prepare: .prepare(Ticket(0))
    case .keeping: .keeping
    case .interruption: .interruption(SessionID(0), .blank)
    case .route: .route(.blank)
    case .cut: .cut(SessionID(0), .noDevice)
    case .changed: .changed(.blank)
    case .entry, .notification, .withdrawn, .exited, .ended: nil
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> ProgramNotice {
    switch self {
    case .deliver(let message, let ticket):
      .deliver(
        try fields.needed(.message, .word, value: message),
        try fields.needed(.ticket, .ticket, value: ticket))
    case .wake(let ticket, let reason, let line, let waited):
      .wake(
        try fields.needed(.ticket, .ticket, value: ticket), try fields.needed(.reason, .word, value: reason),
        line: try fields.optional(.line, .identifier, value: line),
        waitedMicroseconds: try fields.optional(.waitedMicroseconds, .number(in: 0 ... .max), value: waited))
    case .keepAlive(let ticket): .keepAlive(try fields.needed(.ticket, .ticket, value: ticket))
    case .fetch(let ticket): .fetch(try fields.needed(.ticket, .ticket, value: ticket))
    case .expire(let task): .expire(try fields.needed(.task, .identifier, value: task))
    case .action(let ticket, let notification, let action, let token):
      .action(
        try fields.needed(.ticket, .ticket, value: ticket),
        try fields.needed(.notification, .identifier, value: notification),
        try fields.needed(.action, .text, value: action),
        token: try fields.optional(.token, .text, value: token))
    case .open(let ticket, let url):
      .open(try fields.needed(.ticket, .ticket, value: ticket), try fields.needed(.url, .text, value: url))
    case .push(let ticket, let push):
      .push(
        try fields.needed(.ticket, .ticket, value: ticket),
        RemoteNotification(
          payload: push.payload, title: try fields.optional(.title, .text, value: push.title)))
    case .received(let notification, let content):
      .received(
        try fields.needed(.notification, .identifier, value: notification), try content.visited(by: &fields))
    case .keeping: .keeping
    case .prepare(let ticket): .prepare(try fields.needed(.ticket, .ticket, value: ticket))
    case .interruption(let session, let change):
      .interruption(
        try fields.needed(.session, .identifier, value: session), try change.visited(by: &fields))
    case .route(let route): .route(try route.visited(by: &fields))
    case .cut(let session, let reason):
      .cut(
        try fields.needed(.session, .identifier, value: session),
        try fields.needed(.reason, .word, value: reason))
    case .changed(let news): .changed(try news.visited(by: &fields))
    }
  }
}

package struct RouteNotice: Equatable, Sendable {
  /// The session that is on another device; nil: all of them.
  package var session: SessionID?
  package var change: Vocabulary.RouteChange
  /// The device on which the sound is now, if there is a device.
  package var device: String?
  /// The device on which the sound was.
  package var old: String?
  package var reason: RouteReason?

  package init(
    session: SessionID? = nil, change: Vocabulary.RouteChange, device: String? = nil, old: String? = nil,
    reason: RouteReason? = nil
  ) {
    (self.session, self.change, self.device) = (session, change, device)
    (self.old, self.reason) = (old, reason)
  }
}

extension RouteNotice: FieldGroup {
  package static var blank: Self { .init(change: .new) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      session: try fields.optional(.session, .identifier, value: session),
      change: try fields.needed(.change, .word, value: change),
      device: try fields.optional(.device, .text, value: device),
      old: try fields.optional(.old, .text, value: old),
      reason: try fields.optional(.reason, .word, value: reason))
  }
}

extension Interruption: FieldGroup {
  package static var blank: Self { .began }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let phase = try fields.needed(.phase, .word, value: phase)
    let shouldResume = try fields.flag(.shouldResume, self == .ended(shouldResume: true))
    return phase == .began ? .began : .ended(shouldResume: shouldResume)
  }

  private var phase: Vocabulary.InterruptionPhase { self == .began ? .began : .ended }
}

extension SurroundingNews: FieldGroup {
  package static var blank: Self { .init([]) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let changes = try fields.needed(.what, .words, value: changes)
    let isLocked = try fields.flag(.locked, isLocked)
    let source = try fields.optional(.power, .word, value: power.source == .unknown ? nil : power.source)
    let percent = try fields.optional(.percent, .number(in: 0...100), value: power.percent)
    return .init(changes, isLocked: isLocked, power: Power(source ?? .unknown, percent: percent))
  }
}

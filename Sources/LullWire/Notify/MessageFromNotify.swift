/// A message of `lull-notify` to `lulld`: the other direction of ``MessageToNotify``.
package enum MessageFromNotify {
  package enum Verb: String, CaseIterable, Sendable {
    case placed, action, closed, inhibited, watching, locked, sleeping, resumed, accessory, trouble, idle
  }

  /// A notification is shown, at a place that the next `lull-notify` understands; nil: it is not shown any
  /// more (it has expired, or was withdrawn), or never will be (too many at once).
  case placed(NotificationID, at: String?)
  /// The user chose an action: `default`, that of the notification, or `dismiss` by the button Decline.
  /// `token` is that of the desktop, with which a window may come to the front.
  case action(NotificationID, String, token: String?)
  case closed(NotificationID)
  /// The desktop wants to be left alone.
  case inhibited(Vocabulary.Choice)
  /// There is a logind that tells of the lock and of the machine's sleep.
  case watching(Vocabulary.Choice)
  case locked(Vocabulary.Choice)
  /// The machine is about to sleep.
  case sleeping
  case resumed
  case accessory
  /// The part that does not work; nil: everything works.
  case trouble(String?)
  /// Nothing has been left to do for 30 s, after so many `show` since the last `renew`. Where `lulld` has
  /// sent as many and needs no logind, it closes the link; the next `show` starts another `lull-notify`.
  case idle(shows: UInt64)
}

extension MessageFromNotify: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .placed: .placed
    case .action: .action
    case .closed: .closed
    case .inhibited: .inhibited
    case .watching: .watching
    case .locked: .locked
    case .sleeping: .sleeping
    case .resumed: .resumed
    case .accessory: .accessory
    case .trouble: .trouble
    case .idle: .idle
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .placed: .placed(NotificationID(0), at: nil)
    case .action: .action(NotificationID(0), "", token: nil)
    case .closed: .closed(NotificationID(0))
    case .inhibited: .inhibited(.no)
    case .watching: .watching(.no)
    case .locked: .locked(.no)
    case .sleeping: .sleeping
    case .resumed: .resumed
    case .accessory: .accessory
    case .trouble: .trouble(nil)
    case .idle: .idle(shows: 0)
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .placed(let id, let place):
      .placed(
        try fields.needed(.notification, .identifier, value: id),
        at: try fields.optional(.place, .text, value: place))
    case .action(let id, let action, let token):
      .action(
        try fields.needed(.notification, .identifier, value: id),
        try fields.needed(.action, .text, value: action),
        token: try fields.optional(.token, .text, value: token))
    case .closed(let id): .closed(try fields.needed(.notification, .identifier, value: id))
    case .inhibited(let choice): .inhibited(try fields.needed(.on, .word, value: choice))
    case .watching(let choice): .watching(try fields.needed(.on, .word, value: choice))
    case .locked(let choice): .locked(try fields.needed(.on, .word, value: choice))
    case .sleeping, .resumed, .accessory: self
    case .trouble(let text): .trouble(try fields.optional(.text, .text, value: text))
    case .idle(let shows): .idle(shows: try fields.needed(.shows, .unsigned, value: shows))
    }
  }
}

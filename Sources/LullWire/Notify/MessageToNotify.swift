/// A message of `lulld` to `lull-notify`, in the grammar of docs/PROTOCOL.md. No message is answered, nobody
/// else speaks this, and both programs are of one build.
///
/// `lulld` decides what is shown. It starts `lull-notify` with one end of a socket pair as descriptor 3: with
/// the first notification, and where there is a system bus once with the first program, to look for logind.
/// Each `lull-notify` is told everything first (`renew`, `withdraw` ..., `show` ..., `renewed`), with the
/// places of the one before; what is over is not told again. One that dies while it shows something, or is
/// `watching`, is replaced: at once, then with a growing wait, five short lives in a row at most. When the
/// link ends it closes everything that it shows, since nobody would hear of an action.
///
/// What `lull-notify` does not take waits in `lulld`, 1 MiB at most. Then everything is told anew, when it
/// has taken that.
package enum MessageToNotify {
  package enum Verb: String, CaseIterable, Sendable {
    case renew, renewed, show, withdraw, hold
    case letGo = "let-go"
  }

  /// All notifications that are to be shown follow.
  case renew
  /// All have been told: any other one is withdrawn.
  case renewed
  /// In place of the notification that is shown under the same number. The same content once more is shown
  /// once more, except between `renew` and `renewed`.
  case show(NotificationToShow)
  /// With the place that a `lull-notify` before this one told.
  case withdraw(NotificationID, at: String? = nil)
  /// The machine must not go to sleep, for this reason.
  case hold(why: String)
  case letGo
}

extension MessageToNotify: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .renew: .renew
    case .renewed: .renewed
    case .show: .show
    case .withdraw: .withdraw
    case .hold: .hold
    case .letGo: .letGo
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .renew: .renew
    case .renewed: .renewed
    case .show: .show(.blank)
    case .withdraw: .withdraw(NotificationID(0))
    case .hold: .hold(why: "")
    case .letGo: .letGo
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .renew, .renewed, .letGo: self
    case .show(let notification): .show(try notification.visited(by: &fields))
    case .withdraw(let id, let place):
      .withdraw(
        try fields.needed(.notification, .identifier, value: id),
        at: try fields.optional(.place, .text, value: place))
    case .hold(let why): .hold(why: try fields.needed(.why, .text, value: why))
    }
  }
}

package struct NotificationToShow: Equatable, Sendable {
  package var id: NotificationID
  package var program: String
  package var body: String
  /// Nil: the program's name.
  package var title: String?
  /// The title of the action button.
  package var action: String?
  /// The title of the second button.
  package var otherAction: String?
  package var isCall: Bool
  package var rings: Bool
  package var isQuiet: Bool
  /// The place that a `lull-notify` before this one told; nil: it has not been shown.
  package var place: String?

  package init(
    id: NotificationID, program: String, content: LocalNotification, isQuiet: Bool = false,
    place: String? = nil
  ) {
    (self.id, self.program, body, title) = (id, program, content.body, content.title)
    otherAction = content.otherAction
    (action, isCall, rings) = (content.action, content.isCall, content.rings)
    (self.isQuiet, self.place) = (isQuiet, place)
  }
}

extension NotificationToShow: FieldGroup {
  package static var blank: Self {
    .init(id: NotificationID(0), program: "", content: LocalNotification(body: ""))
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var read = self
    read.id = try fields.needed(.notification, .identifier, value: id)
    read.program = try fields.needed(.program, .text, value: program)
    read.body = try fields.needed(.body, .text, value: body)
    read.title = try fields.optional(.title, .text, value: title)
    read.action = try fields.optional(.action, .text, value: action)
    read.otherAction = try fields.optional(.otherAction, .text, value: otherAction)
    read.isCall = try fields.flag(.call, isCall)
    read.rings = try fields.flag(.sound, rings)
    read.isQuiet = try fields.flag(.quiet, isQuiet)
    read.place = try fields.optional(.place, .text, value: place)
    return read
  }
}

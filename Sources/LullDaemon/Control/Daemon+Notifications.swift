import LullEngine
import LullWire

extension Daemon {
  func notifications(follow: Bool, _ client: Client) -> Reply? {
    control.follow(client, followed: .notifications, follows: follow)
    let places = host.engine.notifications.map { (id: $0.id, isScheduled: $0.fires != nil) }
    return answer(Report([.notifications(places[...])]), client)
  }

  func scheduled(_ program: String, all: Bool, _ client: Client) -> Reply? {
    let own = host.engine.notifications.filter { $0.program == program && (all || $0.fires != nil) }
    return answer(Report([.messages(own.map(notificationItem)[...])]), client)
  }

  func schedule(_ fields: Request.Schedule, _ id: AppID) -> Reply {
    let repeats: Repetition?
    switch fields.repeats {
    case nil: repeats = nil
    case .every(let interval): repeats = .every(interval)
    case .calendar(let unit):
      do {
        repeats = .calendar(unit, try ZoneRules.read(fields.zone))
      } catch {
        return .error(code: .badValue, message: error.description)
      }
    }
    return Reply(ask(.schedule(id, fields.notification, fields.date, repeats: repeats)))
  }

  /// `text` may be the action as `Printable` writes it for terminals and for `notify`.
  func meant(by text: String, in id: NotificationID) -> String {
    let action = host.engine.notifications.first { $0.id == id }?.content.action
    guard let action, Printable.text(action) == text else { return text }
    return action
  }

  func notificationItem(_ view: NotificationView) -> Message {
    let item = Message(item: .notification).adding(.notification, view.id.number).adding(
      .program, view.program)
    let state: Vocabulary.NotificationState = view.fires == nil ? .pending : .scheduled
    return view.content.adding(to: item).adding(.state, state.rawValue)
      .adding(.at, view.fires.map { Double((host.wallOffset &+ $0.nanoseconds) / 1000) / 1e6 })
      .adding(.repeat, view.repeats.map(\.word)).adding(.zone, view.repeats?.zone)
  }
}

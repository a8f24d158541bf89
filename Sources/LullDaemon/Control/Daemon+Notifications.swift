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
    return answer(Report([.messages(own.map { notificationItem($0).message }[...])]), client)
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

  func notificationItem(_ view: NotificationView) -> NotificationItem {
    let state: Vocabulary.NotificationState = view.fires == nil ? .pending : .scheduled
    return NotificationItem {
      ($0.id, $0.program, $0.content) = (UInt64(view.id.number), view.program, view.content)
      ($0.state, $0.repeats, $0.zone) = (state.rawValue, view.repeats.map(\.word), view.repeats?.zone)
      $0.at = view.fires.map { Double((host.wallOffset &+ $0.nanoseconds) / 1000) / 1e6 }
    }
  }
}

import LullEngine
import LullWire

// The notifications, as their followers and their programs see them.
extension Daemon {
  func notifications(follow: Bool, _ client: Client) -> Reply? {
    control.follow(client, followed: .notifications, follows: follow)
    return answer(Report([.notifications(host.engine.notifications.map(\.id)[...])]), client)
  }

  func scheduled(_ id: AppID, _ client: Client) -> Reply? {
    let own = host.engine.notifications.filter { $0.app == id && $0.fires != nil }.map(\.id)
    return answer(Report([.notifications(own[...])]), client)
  }

  func notificationItem(_ view: NotificationView) -> Message {
    let item = Message(item: .notification).adding(.notification, view.id.number).adding(
      .program, view.program)
    let state: Vocabulary.NotificationState = view.fires == nil ? .pending : .scheduled
    return view.content.adding(to: item).adding(.state, state.rawValue)
      .adding(.at, view.fires.map { Double((host.wallOffset &+ $0.nanoseconds) / 1000) / 1e6 })
      .adding(.repeat, view.repeats?.seconds)
  }
}

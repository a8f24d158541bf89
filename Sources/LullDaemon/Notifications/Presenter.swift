import LullChannel
import LullEngine
import LullGuard
import LullModel
import LullSystem
import LullWire

/// The owner of what is shown on the desktop: the life of lull-notify, and where each notification is there.
/// The engine decides what is shown.
final class Presenter {
  private struct Shown {
    enum Wish {
      case shown
      /// It is not on the desktop any more, or was given up there.
      case over
      /// It is to be closed, until a lull-notify has said that it is.
      case withdrawn
    }

    var wish = Wish.shown
    /// As the last lull-notify has told; nil while the notification is on its way, or nowhere.
    var place: String?
  }

  private static let mostTokens = 64

  private let policy: SupervisionPolicy
  private var life: HelperLife<HelperLink>
  private var backoff: Backoff
  private var shortLives = 0
  private var notifications: [NotificationID: Shown] = [:]
  /// The number of shown notifications since the last `renew`.
  private var shows: UInt64 = 0
  private var isIdle = false
  /// Nil when everything works.
  private(set) var trouble: String?
  /// The lock of the session, as far as logind tells of it.
  private var isLocked = false
  private var watchesMachine = false
  private var isAboutToSleep = false
  private var hasLooked = false
  /// Tokens of chosen actions that the programs have not been told yet, the newest last.
  private var tokens: [(id: NotificationID, text: String)] = []
  /// True when the desktop wants to be left alone, as far as it says so.
  private(set) var isInhibited = false

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> HelperLink
  ) {
    self.policy = policy
    life = HelperLife(journal, reactor, launch: launch)
    backoff = Backoff(policy)
  }

  var pid: Int32? { life.link?.process.pid }

  // MARK: What is shown

  func show(_ notification: NotificationToShow) {
    notifications[notification.id, default: Shown()].wish = .shown
    guard let link = life.link else { return want() }
    tell(.show(notification), link)
  }

  func withdraw(_ id: NotificationID) {
    guard let known = notifications[id] else { return }
    notifications[id]?.wish = .withdrawn
    if let link = life.link {
      link.tell(.withdraw(id))
    } else if known.place == nil {
      notifications[id] = nil
    }
  }

  private func tell(_ message: MessageToNotify, _ link: HelperLink) {
    if case .show = message { shows += 1 }
    isIdle = false
    link.tell(message)
  }

  private var isNeeded: Bool {
    watchesMachine
      || notifications.values.contains { $0.wish == .shown || $0.wish == .withdrawn && $0.place != nil }
  }

  // MARK: lull-notify

  /// Where there is no logind, lull-notify leaves again.
  func watchMachine() {
    guard !hasLooked else { return }
    hasLooked = true
    want()
  }

  /// At the end of this turn: who asks does not wait for it.
  private func want() { life.want(at: 0) }

  /// lull-notify was given up, since it always ends at once.
  private var isHopeless: Bool { shortLives >= policy.notifyShortLives }

  func tell(_ order: MachineKeeper.Order) {
    guard let link = life.link else { return }
    switch order {
    case .hold: link.tell(.hold(why: "a program handles a wake or a call"))
    case .letGo: link.tell(.letGo)
    }
  }

  func startIfDue(
    _ order: MachineKeeper.Order = .letGo, _ pending: () -> [NotificationToShow]
  ) -> [NotifyOutcome] {
    guard life.isDue else { return [] }
    do {
      try life.start()
    } catch {
      return note(Explanation(.notifyNotStarted, error: "\(error)").line)
    }
    tellAll(pending())
    if order == .hold { tell(order) }
    return []
  }

  /// A flood was too much for lull-notify: it is told everything anew.
  func renewIfLost(_ order: MachineKeeper.Order = .letGo, _ pending: () -> [NotificationToShow]) {
    guard life.link?.isToBeToldAnew() == true else { return }
    // Before the notifications, of which there may be too many again.
    tell(order)
    tellAll(pending())
  }

  private func tellAll(_ pending: [NotificationToShow]) {
    guard let link = life.link else { return }
    (shows, isIdle) = (0, false)
    link.tellAnew { renew(pending, link) }
  }

  private func renew(_ pending: [NotificationToShow], _ link: HelperLink) {
    link.tell(.renew)
    for (id, shown) in notifications where shown.wish == .withdrawn {
      if let place = shown.place { link.tell(.withdraw(id, at: place)) } else { notifications[id] = nil }
    }
    for var notification in pending {
      let known = notifications[notification.id, default: Shown()]
      notifications[notification.id] = known
      guard known.wish == .shown else { continue }
      notification.place = known.place
      tell(.show(notification), link)
    }
    link.tell(.renewed)
  }

  func receive(_ buffer: inout ReceiveBuffer) -> Bool { life.link?.receive(&buffer) ?? true }

  func next() -> [NotifyOutcome]? {
    guard let line = life.link?.next() else { return nil }
    // Both programs are of one build: what cannot be read was not written by lull-notify.
    return (try? MessageFromNotify.parse(line)).map(take) ?? []
  }

  private func take(_ message: MessageFromNotify) -> [NotifyOutcome] {
    switch message {
    case .placed(let id, let place):
      guard var known = notifications[id] else { return [] }
      known.place = place
      if known.wish != .withdrawn { known.wish = place == nil ? .over : .shown }
      notifications[id] = known.wish == .withdrawn && place == nil ? nil : known
      return []
    case .action(let id, let action, let token):
      if let token { keep(token, of: id) }
      return [.answer(id, action)]
    case .closed(let id): return [.answer(id, NotificationAction.dismiss.rawValue)]
    case .inhibited(let choice):
      isInhibited = choice == .yes
      return isInhibited ? [.inhibited] : []
    case .trouble(let text): return note(text)
    case .idle(let told):
      isIdle = told == shows
      return []
    case .watching(let choice):
      watchesMachine = choice == .yes
      return []
    case .locked(let choice):
      // The first word of each lull-notify is no news, and must not undo `lull lock`.
      guard isLocked != (choice == .yes) else { return [] }
      isLocked = choice == .yes
      return [.locked(isLocked)]
    case .sleeping:
      isAboutToSleep = true
      return [.sleeps(true)]
    case .resumed:
      isAboutToSleep = false
      return [.sleeps(false)]
    case .accessory: return [.accessory]
    }
  }

  /// A program that ends before it is told leaves its token behind: the oldest gives way.
  private func keep(_ token: String, of id: NotificationID) {
    _ = takeToken(of: id)
    tokens.append((id, token))
    if tokens.count > Self.mostTokens { tokens.removeFirst() }
  }

  /// The desktop's token of a chosen action, once.
  func takeToken(of id: NotificationID) -> String? {
    guard let index = tokens.firstIndex(where: { $0.id == id }) else { return nil }
    return tokens.remove(at: index).text
  }

  private func note(_ text: String?) -> [NotifyOutcome] {
    guard text != trouble else { return [] }
    trouble = text
    return [.trouble(text)]
  }

  func ended() -> [NotifyOutcome] {
    if let lived = life.ended() {
      shortLives = lived < policy.shortLife.nanoseconds ? shortLives + 1 : 0
      if isNeeded, !isHopeless { life.want(at: Clock.boottime() + backoff.next(after: lived)) }
    }
    // Nobody heard when the machine went on.
    let resumed: [NotifyOutcome] = isAboutToSleep ? [.sleeps(false)] : []
    (watchesMachine, isAboutToSleep, isInhibited) = (false, false, false)
    return resumed + (isHopeless ? note(Explanation(.notifyEnds).line) : [])
  }

  var deadline: Int64? { life.deadline }

  func childrenChanged() { life.childrenChanged() }

  /// A lull-notify that has nothing to do is ended.
  func watch() {
    guard isIdle, !watchesMachine else { return life.watch() }
    (isIdle, isInhibited, shortLives) = (false, false, 0)
    life.dismiss()
  }
}

extension HelperLink {
  /// A flood that lull-notify cannot take is told anew, without what is over by then.
  static func notify(_ descriptor: DescriptorBox, process: HelperProcess, longestWait: Int64) -> HelperLink {
    HelperLink(descriptor, process: process, as: .notify, overload: .refuseMore, longestWait: longestWait)
  }

  static func launchNotify(openFileLimit: Int?, longestWait: Int64) throws(SystemError) -> HelperLink {
    let (own, process) = try start([Process.sibling("lull-notify")], openFileLimit: openFileLimit)
    return notify(own, process: process, longestWait: longestWait)
  }

  fileprivate func tell(_ message: MessageToNotify) { tell(message.message()) }
}

enum NotifyOutcome: Equatable {
  /// The user chose an action, or closed the notification (`dismiss`).
  case answer(NotificationID, String)
  case inhibited
  /// Nil: it works again.
  case trouble(String?)
  case locked(Bool)
  case sleeps(Bool)
  case accessory
}

import LullModel
import LullSystem
import LullWire

/// Has the server show what lulld tells, and tells lulld what the user does.
final class Display {
  /// The most notifications in a second; as many may be shown at once.
  private static let rate: Int64 = 100
  /// lulld is told when nothing was left to do for so long.
  private static let idleTime: Int64 = 30_000_000_000

  private let server: NotificationServer
  private let badges: Badges
  private let feedback: Feedback
  private let tell: (MessageFromNotify) -> Void
  private var queue = NotificationQueue()
  private var limit = RateLimit(perSecond: Display.rate)
  /// When the server is asked again to show what it has refused.
  private var retry = Retry()
  /// The places of a lull-notify before this one, which only the server can confirm.
  private var inherited: [NotificationID: Place] = [:]
  /// Inherited notifications that are to be closed as soon as there is a server.
  private var toClose: [(id: NotificationID, place: Place)] = []
  /// The server's numbers of the notifications in which an action was chosen.
  private var chosen: Set<UInt32> = []
  private var shows: UInt64 = 0
  private var idleAt: Int64?
  private var trouble: String?
  /// Until something is to be shown, a fault is nobody's trouble.
  private var isUsed = false
  private var isInhibited = false

  init(
    _ server: NotificationServer, badges: Badges = Badges(), feedback: Feedback = Feedback(),
    tell: @escaping (MessageFromNotify) -> Void
  ) {
    (self.server, self.badges, self.feedback, self.tell) = (server, badges, feedback, tell)
    server.report = { [weak self] in self?.take($0) }
  }

  // MARK: What lulld tells

  func show(_ content: NotificationToShow) {
    shows += 1
    idleAt = nil
    if !isUsed, let trouble { tell(.trouble(trouble)) }
    isUsed = true
    var own = content
    own.place = nil
    let place = content.place.flatMap(Place.init)
    if queue.state(of: content.id) == nil { inherited[content.id] = place }
    // A call that rang and has become a message was missed.
    if queue.content(of: content.id)?.rings == true, !content.isCall { missed(.missedCall, content) }
    queue.show(own, replacing: place?.number)
  }

  /// `place` is where an earlier lull-notify showed the notification.
  func withdraw(_ id: NotificationID, at place: String? = nil) {
    if queue.state(of: id) == nil { inherited[id] = place.flatMap(Place.init) }
    close(queue.withdraw(id), of: id)
  }

  private func close(_ number: UInt32?, of id: NotificationID) {
    if let place = inherited.removeValue(forKey: id) { return toClose.append((id, place)) }
    if let number { server.close(number) }
    tell(.placed(id, at: nil))
  }

  func renew() {
    shows = 0
    queue.renew()
  }

  func renewed() { for id in queue.renewed() { withdraw(id) } }

  // MARK: What the server tells

  private func take(_ news: ServerNews) {
    switch news {
    case .silent: queue.serverIsSilent()
    case .gone:
      chosen = []
      queue.serverLost()
    case .closed(let number, let reason): closed(number, reason)
    case .action(let number, let key, let token): choose(number, key, token: token)
    case .inhibited(let isOn):
      guard isOn != isInhibited else { return }
      isInhibited = isOn
      tell(.inhibited(isOn ? .yes : .no))
    case .trouble(let text):
      guard text != trouble else { return }
      trouble = text
      if isUsed { tell(.trouble(text)) }
    }
  }

  private func missed(_ event: Feedback.Event, _ content: NotificationToShow) {
    if !content.isQuiet { feedback.trigger(event, of: content.program) }
  }

  private func closed(_ number: UInt32, _ reason: ClosingReason) {
    let wasChosen = chosen.remove(number) != nil
    if reason == .expired, !wasChosen, let content = queue.find(number), !content.isCall {
      missed(.missedNotification, content)
    }
    guard let id = queue.closed(number) else { return }
    switch reason {
    // Servers give this reason also for a notification in which an action was chosen.
    case .dismissed where !wasChosen: tell(.closed(id))
    case .dismissed, .expired, .closed, .undefined: tell(.placed(id, at: nil))
    }
  }

  private func choose(_ number: UInt32, _ key: String, token: String?) {
    guard let content = queue.find(number), let action = Wording.action(key, of: content) else { return }
    chosen.insert(number)
    tell(.action(content.id, action, token: token))
  }

  // MARK: A turn

  var deadline: Int64? {
    let next = queue.hasNext && server.abilities != nil ? limit.next : nil
    let answer = isBusy ? server.deadline : nil
    return [idleAt == .max ? nil : idleAt, next, retry.due, answer].compactMap(\.self).min()
  }

  /// With `isHopeless` no server will come.
  func work(isHopeless: Bool) {
    let now = Clock.boottime()
    if isBusy { server.work() }
    if retry.take(at: now) { queue.retry() }
    if let abilities = server.abilities {
      while queue.hasNext, limit.take(at: now), let next = queue.next() { ask(next, abilities) }
    }
    for skipped in queue.takeSkipped() { close(skipped.number, of: skipped.id) }
    closeInherited()
    badges.show(queue.unanswered)
    guard !isBusy && !badges.isShowing || isHopeless else { return idleAt = nil }
    idleAt = idleAt ?? now + Self.idleTime
    guard let due = idleAt, due <= now else { return }
    tell(.idle(shows: shows))
    // Told once: lulld ends the link, has something to show, or wants to hear of the machine.
    idleAt = .max
  }

  private var isBusy: Bool { queue.isBusy || !toClose.isEmpty }

  private func closeInherited() {
    guard server.abilities != nil else { return }
    for (id, place) in toClose {
      if server.knows(place) { server.close(place.number) }
      tell(.placed(id, at: nil))
    }
    toClose = []
  }

  private func ask(_ next: NotificationQueue.Next, _ abilities: Abilities) {
    let wording = Wording(content: next.content, abilities: abilities)
    let isKnown = inherited.removeValue(forKey: next.content.id).map(server.knows) ?? true
    var next = next
    if !isKnown { next.replacing = nil }
    server.show(wording, replacing: next.replacing) { [weak self, next] number in
      guard let self else { return }
      guard let number else { return refused(next) }
      retry.rest()
      chosen.remove(number)
      if let surplus = queue.taken(next, as: number) { return server.close(surplus) }
      if let place = server.place(of: number) { tell(.placed(next.content.id, at: place.text)) }
    }
  }

  private func refused(_ next: NotificationQueue.Next) {
    if let surplus = queue.refused(next) { server.close(surplus) }
    retry.plan(at: Clock.boottime())
  }

  /// Takes everything back, because nobody would hear of an action. A notification that the server has just
  /// been asked to show is closed when it answers.
  func closeAll() {
    for id in queue.all { withdraw(id) }
    closeInherited()
    badges.show(queue.unanswered)
  }

  var isOwed: Bool { server.owes }
}

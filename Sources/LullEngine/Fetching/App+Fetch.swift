// Fetches and pushes: the program looks for new content while others are awake, or is handed some, and says
// what became of it.
extension App {
  /// A fetch or a push that the program has been told of, and whose result it has not told. A command tells
  /// none: its fetch is over when it sleeps.
  struct Errand: Sendable {
    /// `fetch` or `push`.
    let kind: LeaseKind
    let ticket: Ticket
    var began: Moment
    var ends: Moment
  }

  mutating func setFetch(_ interval: Interval?, since: Moment?, _ turn: inout Turn) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard interval == nil || registration.settings.modes.contains(.fetch) else {
      return .refused(.wrongMode(.fetch))
    }
    startFetches(interval, since: since, turn)
    turn.note(id, .fetchSet(fetches?.interval))
    return .done
  }

  /// What is known of earlier fetches, also of those in the program's last life, stays known.
  mutating func startFetches(_ interval: Interval?, since: Moment?, _ turn: Turn) {
    guard let interval else { return fetches = nil }
    let last = [fetches?.since, since].compactMap(\.self).max() ?? turn.now
    fetches = FetchWindow(interval: interval, since: last, stretch: fetches?.stretch ?? 1)
      .bounded(at: turn.now, turn.policy)
  }

  /// The fetch runs at this moment without another program. One for which the program was launched does not
  /// wait.
  func fetchDue(_ turn: Turn) -> Moment {
    guard mayFetch else { return .never }
    return owesFetch ? turn.now : fetches?.due(turn.surroundings, turn.policy) ?? .never
  }

  private var mayFetch: Bool {
    isStaying && isInBackground && isLaunched && mail.isEmpty && !errands.contains { $0.kind == .fetch }
  }

  mutating func runFetch(_ turn: inout Turn) {
    let opens = owesFetch ? turn.now : fetches?.opens(turn.surroundings, turn.policy) ?? .never
    guard mayFetch, opens <= turn.now else { return }
    owesFetch = false
    fetches?.ran(at: turn.now)
    let ticket = begin(.fetch, for: .fetch, &turn)
    turn.perform(.runFetch(id, ticket))
    turn.note(id, .fetchRan)
  }

  /// A ticket of its own: a program that says `done` to the wake has told no result yet.
  mutating func begin(_ kind: LeaseKind, for reason: WakeReason, _ turn: inout Turn) -> Ticket {
    let wake = Wake(reason: reason, line: nil, moment: turn.now)
    if !isAwake {
      unfreeze(wake, &turn)
      turn.perform(.woke(id, wake, turn.newTicket()))
    }
    isAtMessageBoundary = false
    let errand = Errand(
      kind: kind, ticket: turn.newTicket(), began: turn.now, ends: turn.now + turn.policy.fetchRunTime)
    errands.append(errand)
    linger(&turn)
    return errand.ticket
  }

  mutating func fetched(_ ticket: Ticket, with result: BackgroundFetchResult, _ turn: inout Turn) {
    guard let errand = errands.first(where: { $0.ticket == ticket }) else { return }
    end(errand, with: result, &turn)
    // As after a `done`, the program is on its way to its wait.
    retry.settle(until: turn.now + turn.policy.settlingTime)
  }

  mutating func end(_ errand: Errand, with result: BackgroundFetchResult?, _ turn: inout Turn) {
    errands.removeAll { $0.ticket == errand.ticket }
    let time = turn.now - errand.began
    if errand.kind == .fetch { fetches?.ended(result, after: time, turn.policy) }
    turn.note(id, .errandEnded(errand.kind, result, after: time))
  }

  mutating func endErrands(_ turn: inout Turn) { for errand in errands { end(errand, with: nil, &turn) } }
}

extension Engine {
  /// A program on the library that was launched for a fetch is told of it once its launch is over.
  func owesFetch(_ registration: Registration) -> Bool {
    registration.speaks && registration.resumes == nil && registration.settings.modes.contains(.fetch)
      && launching.find(registration.name)?.lastReason == .fetch
  }

  /// The title of a push is shown to a person; a program in the foreground shows it itself.
  mutating func announce(_ title: String, of program: String, _ turn: inout Turn) -> Answer {
    let owner = find(name: program)
    if let app = owner.flatMap({ apps[$0] }), app.state == .active, app.registration.speaks { return .done }
    let content = LocalNotification(body: title, sound: .default)
    show(NotificationRecord(id: centre.newID(), program: program, content: content), owner: owner, &turn)
    return .done
  }
}

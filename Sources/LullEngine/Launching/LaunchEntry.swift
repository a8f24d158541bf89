/// A program that can be started again: whether it runs, and when it is started if it does not. It is
/// installed (Background Execution, "Implementing a VoIP App": the system relaunches the app at boot, and "if
/// your app exits with a non-zero exit code"), its lines are kept, or somebody starts it just now.
struct LaunchEntry: Sendable {
  enum State: Equatable, Sendable {
    /// It has registered. Until its start is over, others wait for their turn: at `startEnds` the start is
    /// taken to be over, and it is over where that is nil.
    case running(AppID, startEnds: Moment?)
    /// The shell starts it; at `until` the start counts as failed.
    case starting(Launch, until: Moment)
    case due(Launch)
    /// The wait after a crash, or after a start that failed.
    case waiting(until: Moment, LaunchReason)
    /// It could not be started because of an error in its file.
    case misconfigured(LaunchReason)
    /// It ended by itself, or was never started.
    case ended
    case quit
  }

  /// The lines that are kept for a program, until a life of it goes on with them.
  struct Lines: Equatable, Sendable {
    /// Nothing but a person, a link or an answer starts the program before this moment.
    var notBefore: Moment
    /// The program runs with its lines, and has not proved yet that it goes on.
    var isUnproven = false
    /// The reason for which the program is to be started, once something has come on one of the lines.
    var news: LaunchReason?
  }

  let name: String
  var state = State.ended
  /// False for a program that is listed for its lines or its start alone.
  private(set) var isInstalled = false
  /// False while the file of the program cannot be used, so that the program would not come back.
  var isLaunchable = true
  /// Crashes and failed starts in a row.
  private(set) var crashes = 0
  private(set) var hasFailed = false
  private(set) var lines: Lines?
  /// The links and pushes that came during its start, beside the one that it is started for.
  private(set) var posts: [Post] = []
  /// The push that it is started for, until it registers.
  private var pushed: RemoteNotification?
  /// The moment until which a command that runs takes links, because it may still register.
  private(set) var listens: Moment?
  /// The keep-alive that the program had when it last ended.
  private(set) var keepAlive: KeepAliveWindow?
  /// A start for the keep-alive counts as its run. This is the keep-alive without that run, until the program
  /// comes: its handler runs then.
  private var owed: KeepAliveWindow?
  /// The fetches of the program in its last life.
  var fetches: FetchWindow?
  private(set) var lastReason = LaunchReason.user
  /// The beginning of its life, or of its last one.
  private var cameAt: Moment?

  init(name: String) { self.name = name }

  var isNeeded: Bool {
    guard !isInstalled, lines == nil, posts.isEmpty, listens == nil else { return true }
    switch state {
    case .starting, .due, .waiting: return true
    case .running, .misconfigured, .ended, .quit: return false
    }
  }

  var launchEnds: Moment? { if case .starting(_, let until) = state { until } else { nil } }

  var isOnItsWay: Bool { launchEnds != nil || listens != nil }

  var isStarting: Bool {
    switch state {
    case .starting, .running(_, startEnds: .some): true
    case .running, .due, .waiting, .misconfigured, .ended, .quit: false
    }
  }

  var deadline: Moment {
    switch state {
    case .running(_, let startEnds): min(startEnds ?? .never, listens ?? .never)
    case .starting(_, let until): until
    case .waiting(let until, _): min(until, linesDue, alarm)
    case .ended: min(linesDue, alarm)
    case .due, .misconfigured, .quit: .never
    }
  }

  private var linesDue: Moment { lines.flatMap { $0.news == nil ? nil : $0.notBefore } ?? .never }

  var alarm: Moment {
    switch state {
    case .waiting, .ended: keepAlive?.due ?? .never
    case .running, .starting, .due, .misconfigured, .quit: .never
    }
  }

  var memory: InstalledBeginning {
    switch state {
    case .running: .lost
    case .starting, .due, .waiting, .misconfigured: .waiting
    case .ended: .ended
    case .quit: .quit
    }
  }

  var past: InstalledPast {
    let (reason, starts): (LaunchReason, Moment?) =
      switch state {
      case .starting(let launch, _), .due(let launch): (launch.reason, nil)
      case .waiting(let until, let reason): (reason, until)
      case .misconfigured(let reason): (reason, nil)
      case .running, .ended, .quit: (lastReason, nil)
      }
    // In any other state the next engine would start the program for what is owed at once.
    let keepAlive = isToCome ? owed ?? keepAlive : keepAlive
    let since = keepAlive.map { $0.lastRun ?? $0.due - $0.timeout }
    return InstalledPast(
      reason: reason, crashes: crashes, starts: starts, cameAt: cameAt, keepAlive: keepAlive?.timeout,
      keepAliveSince: since, hasKeptAlive: keepAlive?.lastRun != nil, fetches: fetches)
  }

  private var isToCome: Bool {
    switch state {
    case .starting, .due: true
    case .running, .waiting, .misconfigured, .ended, .quit: false
    }
  }

  // MARK: Installed or not

  mutating func admit(at state: State, _ past: InstalledPast, at now: Moment, _ policy: Policy) {
    (isInstalled, isLaunchable) = (true, true)
    if state == .quit || self.state == .ended { self.state = state }
    if state == .quit { _ = takePosts() }
    (crashes, lastReason) = (past.crashes, past.reason ?? .user)
    cameAt = past.cameAt.map { min($0, now) }
    fetches = past.fetches?.bounded(at: now, policy)
    guard let timeout = past.keepAlive, policy.refusal(ofKeepAlive: timeout) == nil else { return }
    // A moment to come would keep the program from being started at all.
    let since = min(past.keepAliveSince ?? now, now)
    keepAlive = KeepAliveWindow(
      timeout: min(timeout, policy.longest), now: now, base: since,
      lastRun: past.hasKeptAlive ? since : nil, policy: policy)
  }

  /// A start that is under way goes on.
  mutating func uninstall() {
    (isInstalled, keepAlive, owed, fetches, crashes, hasFailed) = (false, nil, nil, nil, 0, false)
    switch state {
    case .running, .starting: break
    case .due(let launch) where launch.reason.isUrgent: break
    case .due, .waiting, .misconfigured, .ended, .quit: state = .ended
    }
  }

  /// Nothing starts an installed program that was quit until the user does.
  mutating func quit() {
    forgiven()
    _ = takePosts()
    if isInstalled {
      state = .quit
    } else if launchEnds == nil {
      state = .ended
    }
  }

  // MARK: Lives

  mutating func came(_ id: AppID, speaks: Bool, at now: Moment, _ policy: Policy) {
    (listens, pushed) = (nil, nil)
    lastReason = .user
    switch state {
    case .starting(let launch, let until):
      (lastReason, pushed) = (launch.reason, launch.push)
      if !speaks { listens = until }
    case .due(let launch):
      guard let post = launch.post else { break }
      posts.insert(post, at: 0)
      if !speaks { listens = now + policy.launchTime }
    case .running, .waiting, .misconfigured, .ended, .quit: break
    }
    state = .running(id, startEnds: now + policy.commandStart)
    (hasFailed, cameAt) = (false, now)
    lines?.isUnproven = true
    lines?.news = nil
    if let owed { (keepAlive, self.owed) = (owed, nil) }
  }

  /// It has run since a launch for this reason, under an engine before this one.
  mutating func returned(_ id: AppID, for reason: LaunchReason, at now: Moment) {
    state = .running(id, startEnds: nil)
    (hasFailed, cameAt, lastReason) = (false, cameAt ?? now, reason)
  }

  /// A program that said nothing to Lull is started anew for the links and pushes that have come since.
  mutating func startForPosts(_ policy: Policy) {
    (listens, pushed) = (nil, nil)
    guard let first = posts.first, !isToCome, starts(for: Launch(first), policy) == nil else { return }
    posts.removeFirst()
  }

  /// The program hears of the links and pushes now, or never.
  mutating func takePosts() -> [Post] {
    defer { (posts, pushed, listens) = ([], nil, nil) }
    return (pushed.map { [Post.push($0)] } ?? []) + posts
  }

  // MARK: Launches

  /// Returns false when too many links and pushes wait.
  mutating func takes(_ launch: Launch, _ policy: Policy) -> Bool {
    guard let post = launch.post else { return true }
    guard posts.count < policy.maximumLinks else { return false }
    posts.append(post)
    return true
  }

  /// Starts it in its turn. A program that has crashed at each of its last starts waits on, unless a person
  /// asks for it: returns the end of that wait, at which it is started for this launch, but not for a push.
  @discardableResult
  mutating func starts(for launch: Launch, _ policy: Policy) -> Moment? {
    guard case .waiting(let until, _) = state, crashes >= policy.crashesInRow, !launch.reason.isOfUser else {
      state = .due(launch)
      return nil
    }
    // A push is refused to its sender, or stays among the posts.
    if launch.post == nil { state = .waiting(until: until, launch.reason) }
    return until
  }

  mutating func launched(_ launch: Launch, at now: Moment, _ policy: Policy) {
    state = .starting(launch, until: now + policy.launchTime)
  }

  /// Takes the keep-alive of the program that has ended. One that ended in its launch had not set it yet; one
  /// that was in the foreground was not woken for it, and is not started for it at once.
  mutating func keep(_ window: KeepAliveWindow?, wasLaunched: Bool, at now: Moment, _ policy: Policy) {
    guard isInstalled else { return }
    let isNew = window != nil || wasLaunched
    if isNew { keepAlive = window }
    guard let due = keepAlive?.due, due <= now else { return }
    if !isNew { owes(at: now) }
    keepAlive?.ran(at: now, policy: policy)
  }

  mutating func crashed(at now: Moment, _ policy: Policy) -> Interval {
    if let cameAt, now - cameAt >= policy.crashForgotten { crashes = 0 }
    return waits(for: .crash, at: now, policy)
  }

  /// It was not started, or ended at once. Returns the wait; nil when it is not tried again by itself, such
  /// as after an error in its file, which somebody must mend first.
  mutating func failed(
    for reason: LaunchReason, isMisconfigured: Bool, at now: Moment, _ policy: Policy
  ) -> Interval? {
    (posts, hasFailed) = ([], false)
    guard !isMisconfigured || !isInstalled else {
      state = .misconfigured(reason)
      return nil
    }
    guard isInstalled || lines != nil && reason == .data else {
      state = .ended
      return nil
    }
    hasFailed = true
    let wait = waits(for: reason, at: now, policy)
    lines?.notBefore = now + wait
    return wait
  }

  private mutating func waits(for reason: LaunchReason, at now: Moment, _ policy: Policy) -> Interval {
    crashes += 1
    let wait = Self.wait(after: crashes, policy)
    state = .waiting(until: now + wait, reason)
    return wait
  }

  static func wait(after crashes: Int, _ policy: Policy) -> Interval {
    policy.crashWaitFirst.doubled(Int64(crashes) - 1, atMost: policy.crashWaitLast)
  }

  mutating func forgiven() { (crashes, hasFailed) = (0, false) }

  // MARK: Lines

  /// A program that ended by itself before it had proved itself has failed.
  mutating func linesWait(after ending: KeptEnding, at now: Moment, _ policy: Policy) {
    // A restart that is over gives nobody more time.
    guard ending != .letGo else { return lines = Lines(notBefore: now, news: .crash) }
    var moment = ending == .restart ? now + policy.keptRestartTime : now
    if ending == .alone, lines?.isUnproven == true {
      if case .waiting(let until, _) = state {
        moment = until
      } else {
        // The end of an installed program tells whether it has crashed.
        if !isInstalled { crashes += 1 }
        moment = now + Self.wait(after: max(1, crashes), policy)
      }
    }
    // News that its last life has left is told anew.
    lines = Lines(notBefore: max(lines?.notBefore ?? now, moment))
  }

  mutating func linesReady() { lines?.news = .data }

  mutating func linesTaken() {
    lines = nil
    guard !isInstalled, case .waiting = state else { return }
    state = .ended
  }

  func isLeftToOthers(at now: Moment) -> Bool {
    guard let lines, now < lines.notBefore else { return false }
    switch state {
    case .waiting, .ended: return true
    case .running, .starting, .due, .misconfigured, .quit: return false
    }
  }

  // MARK: Time

  /// Returns the number of links that the program does not hear of any more. Pushes wait for its next start.
  mutating func pass(to now: Moment, _ policy: Policy) -> Int {
    if let moment = lines?.notBefore, moment <= now, let reason = lines?.news {
      startForLines(reason, policy)
    }
    if case .waiting(let until, let reason) = state, until <= now { state = .due(Launch(reason)) }
    guard let listens, listens <= now else { return 0 }
    (self.listens, pushed) = (nil, nil)
    let pushes = posts.filter { if case .push = $0 { true } else { false } }
    defer { posts = pushes }
    return posts.count - pushes.count
  }

  private mutating func startForLines(_ reason: LaunchReason, _ policy: Policy) {
    switch state {
    case .waiting, .ended: starts(for: Launch(reason), policy)
    case .running, .starting, .due, .misconfigured, .quit: return
    }
    lines?.news = nil
    // The lines were let go.
    if reason != .data { lines = nil }
  }

  mutating func standStill(_ time: Interval) {
    if case .starting(let launch, let until) = state { state = .starting(launch, until: until + time) }
    listens = listens.map { $0 + time }
  }

  // MARK: The keep-alive

  func owesKeepAlive(at now: Moment) -> Bool {
    mayRunKeepAlive(at: now) && keepAlive.map { $0.due <= now } ?? false
  }

  func mayRunKeepAlive(at now: Moment) -> Bool {
    switch state {
    case .waiting, .ended: keepAlive.map { $0.opens <= now } ?? false
    case .running, .starting, .due, .misconfigured, .quit: false
    }
  }

  mutating func runKeepAlive(at now: Moment, _ policy: Policy) {
    owes(at: now)
    keepAlive?.ran(at: now, policy: policy)
    switch state {
    case .waiting, .ended: starts(for: Launch(.keepalive), policy)
    case .running, .starting, .due, .misconfigured, .quit: break
    }
  }

  /// The handler of a keep-alive that may run now is to run when the program has come.
  private mutating func owes(at now: Moment) {
    guard owed == nil, let keepAlive, keepAlive.opens <= now else { return }
    owed = keepAlive
    owed?.mustRun(at: now)
  }
}

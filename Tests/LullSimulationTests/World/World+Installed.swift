import LullEngine

// The installed programs of the world. Their numbers are in their names.
extension World {
  func number(startableAs name: String) -> Int? { (0..<scenario.programs).first { self.name($0) == name } }

  func name(_ number: Int) -> String { "program \(number)" }

  func runs(_ number: Int) -> Bool {
    number < programs.count && programs[number].number == number && programs[number].isAlive
  }

  /// True when nobody but the engine starts the program again.
  func isLeftToEngine(_ number: Int) -> Bool { installed.contains(number) && chance.happens(800) }

  func install(_ number: Int) throws(Violation) {
    guard !isDraining else { return }
    installed.insert(number)
    let past = InstalledPast(
      reason: chance.pick([nil] + LaunchReason.allCases), crashes: chance.pick([0, 0, 1, 3, 12]),
      cameAt: chance.pick([nil, now - chance.upTo(.seconds(900))]),
      keepAlive: chance.pick([nil, nil, .seconds(600)]), hasKeptAlive: chance.happens(500),
      fetches: chance.pick([nil, FetchWindow(interval: scenario.policy.fetchMinimum, since: now)]))
    try ask(.admit(name(number), chance.pick(InstalledBeginning.allCases), past))
  }

  func uninstall(_ number: Int) throws(Violation) {
    installed.remove(number)
    try ask(.uninstall(name(number)))
  }

  func planStart(_ number: Int) { plan(.start(number), after: chance.upTo(.seconds(2))) }

  /// A keeper runs: the program registers, or something is wrong with it, or nothing is ever heard of it.
  func start(_ number: Int) throws(Violation) {
    guard isDraining || !chance.happens(100) else { return }
    if !chance.happens(scenario.failedStarts) { try launch(number) }
    try startEnds(number)
    // A person opens a link of one that has come, and may not have registered yet.
    let name = name(number)
    if engine.isOnItsWay(name), chance.happens(300) { try ask(.launch(name, Launch(.url, url: "tel:1"))) }
  }

  /// The program may have been refused, or have taken another name.
  func startEnds(_ number: Int) throws(Violation) {
    let name = name(number)
    if engine.find(name: name) == nil, engine.isOnItsWay(name) {
      try ask(.launchFailed(program: name, isMisconfigured: chance.happens(50)))
    }
  }

  /// The operator does something about an installed program.
  func operateInstalled() throws(Violation) {
    // Programs that wait after a crash are asked for as often as all the others.
    let waiting = installed.sorted().filter { engine.installed(self.name($0))?.state == .waiting }
    let number = chance.pick(waiting.isEmpty || chance.happens(500) ? installed.sorted() : waiting)
    let name = name(number)
    if chance.happens(300) { return try operateLines(chance.below(scenario.programs)) }
    switch chance.weighted([2, 4, 4, 2, 1], total: 13) {
    case 0:
      try ask(.forceQuit(name))
      if let app = engine.find(name: name) { try ask(.transition(app, .quit)) }
    case 1: try need(number, .user)
    case 2: try need(chance.happens(500) ? number : chance.below(scenario.programs), .url)
    case 3: try ask(.launchable(name, chance.happens(600)))
    default:
      try uninstall(number)
      plan(.install(number), after: chance.around(.seconds(60)))
    }
  }

  private func need(_ number: Int, _ reason: LaunchReason) throws(Violation) {
    let reason = reason == .user ? reason : chance.pick([.data, .url, .notification, .push])
    guard reason != .push else {
      return try ask(.launch(name(number), Launch(.push(RemoteNotification(payload: [1])))))
    }
    let url = reason == .url ? chance.pick(["sip:bob", "tel:1"]) : nil
    try ask(.launch(name(number), Launch(reason, url: url)))
  }

  /// Something becomes of the lines that are kept for a program, which may not be installed.
  private func operateLines(_ number: Int) throws(Violation) {
    let name = name(number)
    guard engine.find(name: name) == nil else { return try feed(.linesTaken(name)) }
    try feed(.linesWait(name, after: chance.pick(KeptEnding.allCases)))
    if chance.happens(700) { try feed(.linesReady(name)) }
  }
}

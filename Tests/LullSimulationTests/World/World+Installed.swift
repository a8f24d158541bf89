import LullEngine

// The installed programs of the world. Their numbers are in their names.
extension World {
  func number(installedAs name: String) -> Int? { installed.sorted().first { self.name($0) == name } }

  private func name(_ number: Int) -> String { "program \(number)" }

  func runs(_ number: Int) -> Bool {
    number < programs.count && programs[number].number == number && programs[number].isAlive
  }

  /// True when nobody but the engine starts the program again.
  func isLeftToEngine(_ number: Int) -> Bool { installed.contains(number) && chance.happens(800) }

  func install(_ number: Int) throws(Violation) {
    guard !isDraining else { return }
    installed.insert(number)
    let past = InstalledPast(
      reason: chance.pick([nil] + LaunchReason.allCases), crashes: chance.pick([0, 0, 0, 1, 3]),
      cameAt: chance.pick([nil, now - chance.upTo(.seconds(900))]),
      keepAlive: chance.pick([nil, nil, .seconds(600)]), hasKeptAlive: chance.happens(500))
    try ask(.install(name(number), chance.pick(InstalledBeginning.allCases), past))
  }

  func uninstall(_ number: Int) throws(Violation) {
    installed.remove(number)
    try ask(.uninstall(name(number)))
  }

  func planStart(_ number: Int) { plan(.start(number), after: chance.upTo(.seconds(2))) }

  /// `lull start` runs: the program registers, or something is wrong with it.
  func start(_ number: Int) throws(Violation) {
    guard !isDraining else { return }
    if !chance.happens(scenario.failedStarts) { try launch(number) }
    // It may be refused, or have taken another name.
    let name = name(number)
    if engine.installed(name)?.state == .starting {
      try ask(.launchFailed(program: name, isMistake: chance.happens(50)))
    }
  }

  /// The operator does something about an installed program.
  func operateInstalled() throws(Violation) {
    // Those that wait after a crash are needed as often as all the others.
    let waiting = installed.sorted().filter { engine.installed(self.name($0))?.state == .waiting }
    let number = chance.pick(waiting.isEmpty || chance.happens(500) ? installed.sorted() : waiting)
    let name = name(number)
    switch chance.weighted([2, 4, 4, 2, 1], total: 13) {
    case 0:
      try ask(.forceQuit(name))
      if let app = engine.find(name: name) { try ask(.transition(app, .quit)) }
    case 1: try need(number, .user)
    case 2: try need(number, chance.pick([.data, .url, .notification]))
    case 3: try ask(.launchable(name, chance.happens(600)))
    default:
      try uninstall(number)
      plan(.install(number), after: chance.around(.seconds(60)))
    }
  }

  private func need(_ number: Int, _ reason: LaunchReason) throws(Violation) {
    var isDone = false
    try feed(.request(.launch(name(number), reason))) { isDone = $0 == .done }
    if isDone { planStart(number) }
  }
}

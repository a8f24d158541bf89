import LullChannel
import LullEngine
import LullSystem
import LullWire

// Links and answers to notifications go to the program that runs, or start it.
extension InstalledFeature {
  func open(_ url: String, name: String?) -> Reply {
    guard let scheme = LinkURL.scheme(of: url) else {
      return Reply(WireError.badValue(key: Key.url.rawValue, value: url, expected: LinkURL.expected))
    }
    let running = programs.filter { takes(scheme, $0) && (name == nil || $0.name == name) }
    guard running.isEmpty else {
      guard running.count == 1 else { return tooMany(running.map(\.name), scheme) }
      return open(url, in: running[0])
    }
    let all = ended(taking: scheme).filter { name == nil || $0 == name }
    let willing = all.filter { !isQuit($0) }
    let ended = willing.isEmpty ? all : willing
    guard ended.count == 1 else {
      return ended.isEmpty ? nobody(takes: scheme, name) : tooMany(ended, scheme)
    }
    guard !isQuit(ended[0]) else { return Reply(.wasQuit(ended[0])) }
    return launch(ended[0], Launch(.url, url: url))
  }

  /// Nobody but the user starts such a program. Of one that is not installed nothing is left but its ends.
  func isQuit(_ name: String) -> Bool {
    guard programFolder?.holds(name) != true else { return engine.installed(name)?.state == .quit }
    return ledger.ledger.ends.last { $0.name == name }?.reason?.known == .quit
  }

  /// The program that has still to register again, and may take the link then.
  func awaitedTaker(of url: String, _ name: String?) -> String? {
    guard let scheme = LinkURL.scheme(of: url) else { return nil }
    let running = programs.filter { takes(scheme, $0) && (name == nil || $0.name == name) }
    let returning = running.first {
      !speaks($0.id) && $0.mayRegister(at: seenAt)
    }
    if let returning { return returning.name }
    let names = awaited.names + programs.filter(isAwaited).map(\.name)
    return running.isEmpty ? names.first { (name == nil || $0 == name) && isAwaited($0) } : nil
  }

  /// Also a program that is being started for a link, and took such links in its last life.
  private func takes(_ scheme: String, _ program: Program) -> Bool {
    program.schemes.contains(scheme)
      || engine.isOnItsWay(program.name) && schemesAtEnd(of: program.name).contains(scheme)
  }

  private func open(_ url: String, in program: Program) -> Reply {
    guard speaks(program.id) else {
      // The race: it was started for another link, and has not registered yet.
      if engine.isOnItsWay(program.name) { return launch(program.name, Launch(.url, url: url)) }
      return .error(.unsupported, .init(.linkOnlyAtStart, name: program.name))
    }
    let answer = ask(.open(program.id, url))
    guard case .done = answer else { return Reply(answer) }
    return .ok(Message(.ok).adding(.name, program.name))
  }

  private func ended(taking scheme: String) -> [String] {
    var names = ProgramRecords.names(taking: scheme)
    for name in endedPrograms(taking: scheme) where !names.contains(name) && UnknownProgram.isStartable(name)
    {
      if problem(ofInstalled: name) == nil { names.append(name) }
    }
    for name in installed(taking: scheme) where !names.contains(name) { names.append(name) }
    return names.filter { engine.find(name: $0) == nil }
  }

  private func nobody(takes scheme: String, _ name: String?) -> Reply {
    if let name, engine.find(name: name) == nil {
      guard UnknownProgram.isStartable(name) else { return noSuchProgram(name) }
      if isQuit(name) { return Reply(.wasQuit(name)) }
      if let problem = problem(ofInstalled: name) {
        return .error(.noSuchProgram, .init(.linksUnreadable, name: name, error: "\(problem)"))
      }
    }
    let word: Explanation.Word = name == nil ? .nobodyTakesLinks : .takesNoLinks
    return .error(.noSuchProgram, .init(word, name: name, text: scheme))
  }

  private func tooMany(_ names: [String], _ scheme: String) -> Reply {
    .error(
      .badValue,
      .init(.severalTakeLinks, programs: Array(names.prefix(8)), count: names.count, text: scheme))
  }

  func answer(_ id: NotificationID, _ action: String) -> Reply {
    let name = engine.notifications.first { $0.id == id }?.program
    let answer = ask(.answer(id, action: action))
    if case .refused(.programEnded(let name)) = answer {
      return self.answer(id, action, byLaunching: name)
    }
    guard case .done = answer else { return Reply(answer) }
    return .ok(Message(.ok).adding(.name, name))
  }

  private func answer(_ id: NotificationID, _ action: String, byLaunching name: String) -> Reply {
    guard UnknownProgram.isStartable(name) else {
      return .error(.noSuchProgram, .init(.endedForGood, name: name, number: id.number))
    }
    guard !isQuit(name) else { return Reply(.wasQuit(name)) }
    let answer = ask(.answerAtLaunch(id, action: action))
    guard case .done = answer else { return Reply(answer) }
    let reply = launch(name, Launch(.notification, answer: .init(id, action: action)))
    // The race: the program is ending, and cannot be started before it has. The user can choose again.
    if case .error = reply { _ = ask(.launchFailed(program: name)) }
    return reply
  }
}

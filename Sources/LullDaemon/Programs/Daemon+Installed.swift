import LullChannel
import LullEngine
import LullSystem
import LullWire

// The programs that are installed: the engine decides when they are started, `lull start` starts them.
extension Daemon {
  /// The files of the installed programs, which are the truth of what is installed.
  private var folder: InstalledFolder? { InstalledFolder.ofThisUser }

  /// Starts what is installed, or takes it back where the daemon before this one has left it.
  func readInstalled() {
    let names = installedNames()
    guard !names.isEmpty else { return }
    let remembered = installedMemory.read()
    for name in names { _ = ask(.install(name, beginning(of: name, remembered))) }
    installedMemory.changed()
  }

  private func beginning(of name: String, _ remembered: InstalledMemory.Remembered) -> InstalledBeginning {
    if remembered.quit.contains(name) { return .quit }
    if guardianship.leaves(name) { return .ended }
    guard remembered.goesOn else { return .boot }
    return remembered.ended.contains(name) ? .ended : .lost
  }

  private func installedNames() -> [String] {
    guard let folder else { return [] }
    do throws(SystemError) {
      return try folder.names()
    } catch {
      journal.noteUnexpected(error, except: [])
      return engine.installedPrograms.map(\.name)
    }
  }

  /// A program of that name is managed from now on, and may have been installed since.
  func noteInstalled(_ name: String) {
    // What is taken back may have been quit: `readInstalled` knows.
    guard !guardianship.isRestoring, engine.installed(name) == nil, folder?.holds(name) == true else {
      return
    }
    _ = ask(.install(name, .ended))
  }

  /// Looks for the files anew.
  private func lookForInstalled() {
    let names = installedNames()
    for program in engine.installedPrograms where !names.contains(program.name) {
      _ = ask(.uninstall(program.name))
    }
    for name in names where engine.installed(name) == nil { _ = ask(.install(name, .ended)) }
  }

  // MARK: Launches

  /// Starts a program that does not run, because somebody or something needs it now: one that was force-quit
  /// is refused, and so is one that ends at each start, except for a person; then it is started with this
  /// reason when its wait is over.
  func launch(_ name: String, _ launch: Request.Launch) -> Reply {
    noteInstalled(name)
    let answer = ask(.launch(name, launch.reason))
    guard case .done = answer else { return Reply(answer) }
    return begin(name, launch)
  }

  /// Starts a program, or tells one that is on its way what else it is needed for.
  func begin(_ name: String, _ launch: Request.Launch) -> Reply {
    do {
      guard try launches.launch(name, launch) else {
        return .error(code: .busy, message: "\(name) is being started, and too many links wait for it")
      }
    } catch {
      _ = ask(.launchFailed(program: name))
      return .error(code: .unsupported, message: "\(name) cannot be started: \(error.message)")
    }
    return .ok(Message(.ok).adding(.name, name).adding(flag: .launched))
  }

  /// True when a program that does not run can be started.
  func mayLaunch(_ name: String) -> Bool { folder?.holds(name) == true || ProgramRecords.hold(name) }

  /// True for a program that is launched again when it is needed, and takes its lines back.
  func comesBack(_ name: String, _ registration: Registration) -> Bool {
    (registration.speaks || registration.keepsLines) && folder?.holds(name) == true
  }

  /// The refusal of a launch that was under way when the user quit the program; nil when it may go on.
  func refusal(of launch: Request.Launch?, of name: String) -> Reply? {
    guard let launch, launch.reason != .user, engine.installed(name)?.state == .quit else { return nil }
    return Reply(.wasQuit(name))
  }

  /// What was chosen for a program that cannot be started is not told to it days later.
  func giveUpLaunches() {
    // A failure may let the next program have its turn, whose launch may fail at once.
    while let name = launches.takeFailure() {
      if engine.installed(name) != nil, folder?.holds(name) != true { _ = ask(.uninstall(name)) }
      _ = ask(.launchFailed(program: name))
      keptLines.launchFailed(name)
    }
  }

  /// The installed programs that do not run and take links of a scheme. A file with mistakes takes none.
  func installed(taking scheme: String) -> [String] {
    guard let folder else { return [] }
    return installedNames().filter { name in
      (try? folder.file(name).values(of: "--scheme"))?.contains { $0.lowercased() == scheme } ?? false
    }
  }

  // MARK: Requests

  /// Lists the installed programs, or one of them, which is started first with `start`.
  func installed(_ name: String?, start: Bool, _ client: Client) -> Reply? {
    lookForInstalled()
    guard let name else {
      guard !start else { return Reply(WireError.missingField(Key.name.rawValue)) }
      return answer(Report(engine.installedPrograms.map(installedItem)), client)
    }
    guard engine.installed(name) != nil else {
      return .error(code: .noSuchProgram, message: "\(name) is not installed; `lull install` does it")
    }
    if start, engine.find(name: name) == nil {
      let reply = launch(name, Request.Launch(.user))
      if case .error = reply { return reply }
    }
    return answer(Report([engine.installed(name)].compactMap { $0.map(installedItem) }), client)
  }

  private func installedItem(_ program: InstalledView) -> Message {
    let text = program.state == .failed ? launches.trouble(program.name) : nil
    return Message(item: .installed).adding(.name, program.name).adding(.state, program.state.rawValue)
      .adding(.cause, program.reason.rawValue).adding(.restarts, program.crashes)
      .adding(.dueInSeconds, program.starts.map { $0 - now }).adding(.text, text)
  }

  /// What comes next for an installed program that does not run.
  func whyInstalled(_ program: InstalledView) -> [Message] {
    let remark = Message(item: .remark).adding(.program, program.name).adding(.text, program.text(at: now))
    return [installedItem(program), remark]
  }
}

extension InstalledView {
  /// The sentence of `lull why` on a program that does not run.
  fileprivate func text(at now: Moment) -> String {
    let wait = starts.map { " in \(max(0, Int(($0 - now).seconds.rounded(.up)))) s" } ?? " in its turn"
    return switch state {
    case .running: "it runs"
    case .starting: "it is being started"
    case .waiting where crashes > 0, .failed:
      "\(crashText ?? ""); started again\(wait); see `lull logs \(name)`"
    case .waiting: "it is started\(wait)"
    case .ended: "it has ended, and is started when something comes for it; `lull start \(name)` starts it"
    case .quit: "it was quit, and nothing starts it but `lull start \(name)`"
    }
  }

  /// The sentence on a program that has crashed at its last starts; nil for any other.
  var crashText: String? {
    guard crashes > 0 else { return nil }
    let times = crashes == 1 ? "once" : "\(crashes) times in a row"
    return state == .failed ? "could not be started, \(times)" : "has crashed \(times)"
  }
}

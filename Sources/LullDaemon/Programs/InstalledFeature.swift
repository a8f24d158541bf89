import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

final class InstalledFeature: Feature {
  let core: Core
  let kept: KeptFeature
  let keepers: Keepers
  private let misconfigured: MisconfiguredPrograms
  /// Not booted before somebody starts a program, or asks for the boot.
  private var laterBoots: [String] = []

  init(_ core: Core, _ kept: KeptFeature) {
    (self.core, self.kept) = (core, kept)
    keepers = Keepers(core.services)
    misconfigured = MisconfiguredPrograms(core.services)
  }

  func settle() { giveUpLaunches() }

  var programFolder: InstalledFolder? { InstalledFolder.ofThisUser }

  /// A program goes on as the daemon before this one has left it, or is started.
  func readInstalled() {
    let predecessor = ledger.predecessor
    for name in installedNames() {
      var beginning = ledger.ledger.beginning(
        of: name, after: predecessor, comesBack: comesBack(name), isFirst: options.restarts == 0,
        hasLines: kept.lines.hasLines(of: name), policy.supervision)
      var past = ledger.ledger.past(of: name, clock, policy.supervision)
      if name == options.wanted, predecessor.supervisor != .begun, [.boot, .quit].contains(beginning) {
        beginning = .waiting
        past = InstalledPast(reason: .user)
      }
      if beginning == .boot, !ledger.ledger.isBooted {
        laterBoots.append(name)
        beginning = .ended
      }
      _ = ask(.admit(name, beginning, past))
    }
    noteInstalledPrograms()
    for entry in ledger.ledger.installed where engine.installed(entry.name) == nil {
      ledger.note(.uninstalled(name: entry.name))
    }
  }

  /// A daemon that was to boot nothing has left these alone: somebody needs more of it now than an answer.
  func bootNow() {
    guard !ledger.ledger.isBooted else { return }
    for name in takeLaterBoots() where engine.installed(name)?.state == .ended {
      _ = ask(.uninstall(name))
      _ = ask(.admit(name, .boot))
    }
    // Behind them: a daemon that dies here owes the rest.
    ledger.note(.booted)
  }

  /// The program was to come back and has ended: its end decides what becomes of it.
  func installAnew(_ name: String) {
    guard engine.installed(name) != nil else { return }
    let (ledger, policy) = (ledger.ledger, self.policy.supervision)
    let past = ledger.past(of: name, clock, policy)
    let beginning = ledger.beginning(of: name, after: self.ledger.predecessor, comesBack: false, policy)
    _ = ask(.uninstall(name))
    _ = ask(.admit(name, beginning, past))
  }

  func installedNames() -> [String] {
    guard let folder = programFolder else { return [] }
    do throws(SystemError) {
      return try folder.names()
    } catch {
      journal.noteUnexpected(error, except: [])
      return engine.installedPrograms.map(\.name)
    }
  }

  /// A program that is managed from now on may have been installed since.
  func noteInstalled(_ name: String) {
    // What is taken back may have been quit: `readInstalled` knows.
    guard !guardianship.isRestoring, engine.installed(name) == nil, programFolder?.holds(name) == true else {
      return
    }
    _ = ask(.admit(name, .ended))
  }

  private func lookForInstalled() {
    let names = installedNames()
    for program in engine.installedPrograms where !names.contains(program.name) {
      uninstall(program.name)
    }
    for name in names where engine.installed(name) == nil { _ = ask(.admit(name, .ended)) }
  }

  private func uninstall(_ name: String) {
    _ = ask(.uninstall(name))
    ledger.note(.uninstalled(name: name))
    misconfigured.forget(name)
  }

  // MARK: Launches

  /// Starts a program that does not run, or has one that is on its way hear of a link. A program that was
  /// force-quit is refused. So is one that ends at each start, except for a person; then it is started with
  /// this reason when its wait is over.
  func launch(_ name: String, _ launch: Launch) -> Reply {
    noteInstalled(name)
    switch ask(.launch(name, launch)) {
    case .done: return .ok(Message(.ok).adding(.name, name).adding(flag: .launched))
    case .refused(.busy):
      return .error(.busy, .init(.linksFull, name: name))
    case let answer: return Reply(answer)
    }
  }

  /// A launch for data names the line on which the data came.
  func begin(_ name: String, _ launch: Launch) {
    let line = launch.reason == .data ? kept.lines.readable(of: name) : nil
    var launch = launch
    launch.line = line?.name
    noteLaunch(of: name, launch, on: line?.text)
    misconfigured.begins(name, programFolder)
    keepers.start(name, launch)
  }

  func noteLaunch(of name: String, _ launch: Launch, on line: String? = nil) {
    journal.note(
      program: name, what: Journal.Entry.launch, cause: launch.reason.rawValue,
      detail: line ?? launch.line)
  }

  /// Nil for a launch that may go on: the user has not quit the program meanwhile.
  func refusalIfQuit(_ name: String) -> Reply? {
    engine.installed(name)?.state == .quit ? Reply(.wasQuit(name)) : nil
  }

  /// A file with errors takes no links.
  func installed(taking scheme: String) -> [String] {
    guard let folder = programFolder else { return [] }
    return installedNames().filter { name in
      (try? folder.file(name).values(of: "--scheme"))?.contains { $0.lowercased() == scheme } ?? false
    }
  }

  func problem(ofInstalled name: String) -> InstalledFile.Problem? {
    guard let folder = programFolder, folder.holds(name) else { return nil }
    do throws(InstalledFile.Problem) { _ = try folder.file(name) } catch { return error }
    return nil
  }

  // MARK: Requests

  func list(_ name: String?, start: Bool, _ client: Client) -> Reply? {
    lookForInstalled()
    guard let name else {
      guard !start else { return Reply(WireError.missingField(Key.name.rawValue)) }
      return answer(Report(engine.installedPrograms.map(installedItem)), client)
    }
    guard engine.installed(name) != nil else {
      return .error(.noSuchProgram, .init(.notInstalled, name: name, text: programFolder?.path))
    }
    if start, engine.find(name: name) == nil {
      let reply = launch(name, Launch(.user))
      if case .error = reply { return reply }
    }
    // Behind the launch: this program is started for the user, and not as one of those.
    if start { bootNow() }
    return answer(Report(items(of: name)), client)
  }

  private func installedItem(_ program: InstalledView) -> Message {
    let text = [.failed, .misconfigured].contains(program.state) ? keepers.trouble(program.name) : nil
    var item = InstalledItem {
      ($0.name, $0.state, $0.reason) = (program.name, OpenWord(program.state), OpenWord(program.reason))
      ($0.restarts, $0.text) = (Int64(program.crashes), text)
      $0.dueInSeconds = program.starts.map { max(0, ($0 - now).seconds) }
    }
    switch (program.state, ledger.state) {
    case (.ended, _): noteStarters(of: program.name, hasTimer: program.starts != nil, in: &item)
    case (.quit, .pending): item.isWaiting = true
    case (.quit, .failed(let error)): item.detail = "\(error)"
    default: break
    }
    return item.message
  }

  private func noteStarters(of name: String, hasTimer: Bool, in item: inout InstalledItem) {
    var reasons: [LaunchReason] = []
    if kept.lines.hasLines(of: name) { reasons.append(.data) }
    if engine.notifications.contains(where: { $0.program == name }) { reasons.append(.notification) }
    var schemes = (try? programFolder?.file(name).values(of: "--scheme")) ?? []
    for scheme in schemesAtEnd(of: name) where !schemes.contains(scheme) { schemes.append(scheme) }
    if !schemes.isEmpty { (item.schemes, reasons) = (schemes, reasons + [.url]) }
    if hasTimer { reasons.append(.keepalive) }
    if engine.installed(name)?.past.fetches != nil { reasons.append(.fetch) }
    if !reasons.isEmpty { item.starters = reasons.map(\.rawValue) }
  }

  /// None for a program that is not installed.
  func items(of name: String) -> [Message] { engine.installed(name).map { [installedItem($0)] } ?? [] }

  private func takeLaterBoots() -> [String] {
    defer { laterBoots = [] }
    return laterBoots
  }

  // MARK: Starts that fail

  /// What was chosen for a program that cannot be started is not told to it days later.
  private func giveUpLaunches() {
    // A failure may let the next program have its turn, whose launch may fail at once.
    while let failure = keepers.takeFailure() {
      let name = failure.name
      if engine.installed(name) != nil, programFolder?.holds(name) != true { uninstall(name) }
      _ = ask(.launchFailed(program: name, isMisconfigured: failure.isMisconfigured))
      guard failure.isMisconfigured, engine.installed(name)?.state == .misconfigured else { continue }
      if misconfigured.failed(name, programFolder) { launchMended(name) }
    }
  }

  func misconfiguredChanged() {
    for name in misconfigured.changed(programFolder) { launchMended(name) }
  }

  private func launchMended(_ name: String) {
    guard let program = engine.installed(name), program.state == .misconfigured else {
      return misconfigured.forget(name)
    }
    // Nobody is told any longer what was chosen or opened.
    let reason: LaunchReason = [.url, .notification, .push].contains(program.reason) ? .user : program.reason
    _ = launch(name, Launch(reason))
  }

  // MARK: Files

  /// An installed program whose file is gone, or has an error, would not come back. Nobody tells when
  /// somebody edits a file: it is looked at before a program may be purged.
  func lookAtFiles() {
    for program in engine.installedPrograms where program.state == .running { lookAtFile(of: program.name) }
  }

  func lookAtFile(of name: String) {
    guard engine.installed(name) != nil else { return }
    let problem = InstalledFolder.ofThisUser?.problem(
      ofStarting: name, path: Identity.environment("PATH"))
    _ = ask(.launchable(name, InstalledFolder.ofThisUser != nil && problem == nil))
  }
}

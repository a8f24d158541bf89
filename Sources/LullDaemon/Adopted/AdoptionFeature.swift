import LullChannel
import LullEngine
import LullSystem
import LullWire

/// Programs that others started are taken over where they are, and let go again: a process, a service, a
/// container. Their supervisor stays who it was, and ends them.
final class AdoptionFeature: Feature {
  /// The way in which signals are seen that others send to such a sleeper.
  private enum Signals {
    /// No program is adopted yet.
    case unwatched
    case watched(SignalWatch)
    /// Where this daemon may not watch them: the sleepers are looked at, the next time at this moment of
    /// CLOCK_BOOTTIME.
    case lookedAt(next: Int64)
  }

  /// The longest command line that is shown, in bytes.
  private static let longestWords = 1024

  let core: Core
  private let lifecycle: LifecycleFeature
  private var signals = Signals.unwatched

  init(_ core: Core, _ lifecycle: LifecycleFeature) { (self.core, self.lifecycle) = (core, lifecycle) }

  // MARK: Programs come

  func adopt(_ descriptor: DescriptorBox?, by run: Request.Run, for client: Client) -> Reply {
    guard let pidfd = descriptor else { return .missingDescriptor }
    guard let adopted = run.adopts else { return .error(.missingField, .init(.needsName, text: "adopts")) }
    guard let pid = try? Process.number(of: pidfd.raw), Process.isNumbered(pidfd.raw),
      let home = suspenders.cgroupPath(of: pid)
    else { return .error(.refused, .init(.adoptsNothing)) }
    if let refusal = refusal(of: pid, pidfd, for: client) ?? refusal(of: run.settings) { return refusal }
    if adopted != .process, let refusal = refusal(ofCgroup: home, client) { return refusal }
    guard !suspenders.isFrozen(at: home) else {
      return .error(.refused, .init(.adoptsFrozen, text: home))
    }
    let words = Self.words(of: pid)
    guard let name = run.name ?? lifecycle.freeName(for: words.prefix { $0 != " " }.description) else {
      return .error(.badValue, .init(.needsName, text: words))
    }
    guard !lifecycle.isTaken(name) else { return Reply(.nameInUse(name)) }
    var run = run
    (run.name, run.detach) = (name, true)
    let registration = Registration(run, name: name)
    if let refusal = engine.refusal(of: registration) { return Reply(refusal) }
    do throws(SystemError) {
      let suspender = try suspenders.suspender(adopted: name, pid: pid, pidfd: pidfd, home: home) {
        () throws(SystemError) in
        guard adopted == .process else { return try self.suspenders.processes(at: home) }
        return try self.suspenders.descendants(of: pid, pidfd).filter {
          self.suspenders.cgroupPath(of: $0) == home
        }
      }
      return begin(
        registration, CommandRules(run, words: words), suspender: suspender, process: (pid, pidfd))
    } catch {
      return .error(.refused, .init(.adoptsNothing))
    }
  }

  private func begin(
    _ registration: Registration, _ rules: CommandRules, suspender: Suspender,
    process: (pid: Int32, pidfd: DescriptorBox)
  ) -> Reply {
    let seed = ProgramSeed(
      name: registration.name, kind: .command(CommandState(rules, startedAt: seenAt)), suspender: suspender,
      pid: process.pid, pidfd: process.pidfd, speaker: nil)
    guard let program = lifecycle.admit(seed, registration) else {
      suspenders.dismiss(suspender)
      return lifecycle.admissionRefusal
    }
    control.programs.setDetached(program.id, true)
    program.declare(rules.run.settings.schemes)
    observer.setStandardStreams(lifecycle.standardStreams(of: process.pidfd, rules.run), of: program.id)
    watchSignals()
    return .ok(Message(.ok).adding(.name, program.name).adding(.pid, process.pid))
  }

  private static func words(of pid: Int32) -> String {
    let text = (try? Files.read("/proc/\(pid)/cmdline", limit: 1 << 21)) ?? []
    let words = text.prefix(longestWords).split(separator: 0).joined(separator: [UInt8(ascii: " ")])
    return String(decoding: Array(words), as: UTF8.self)
  }

  // MARK: Refusals

  private func refusal(of pid: Int32, _ pidfd: DescriptorBox, for client: Client) -> Reply? {
    guard pid > 1 else { return .error(.refused, .init(.adoptsInit)) }
    guard (try? Process.isKernelThread(pid)) != true else { return .error(.refused, .init(.adoptsKernel)) }
    guard !lifecycle.isOwn(pid) else { return .error(.refused, .init(.ownProcess)) }
    let path = suspenders.cgroupPath(of: pid)
    if let other = path.flatMap({ programs.first(inCgroup: $0) }) ?? lifecycle.signalled(pid) {
      return .error(.refused, .init(.adoptsManaged, name: other.name))
    }
    do { try Process.sendSignal(pidfd.raw, 0) } catch {
      return .error(.refused, .init(.adoptsOtherUser))
    }
    guard client.pid != pid, !lifecycle.descends(client.pid, from: pid),
      !lifecycle.descends(Identity.pid(), from: pid)
    else { return .error(.refused, .init(.adoptsAncestor)) }
    return nil
  }

  /// Everything in the cgroup is taken.
  private func refusal(ofCgroup path: String, _ client: Client) -> Reply? {
    guard path != "/", let pids = try? suspenders.processes(at: path) else {
      return .error(.refused, .init(.adoptsSharedCgroup, text: path))
    }
    let isShared = pids.contains { pid in
      pid == client.pid || lifecycle.isOwn(pid) || pid == Identity.pid()
        || lifecycle.signalled(pid) != nil || lifecycle.descends(client.pid, from: pid)
    }
    return isShared ? .error(.refused, .init(.adoptsSharedCgroup, text: path)) : nil
  }

  /// It is never ended by Lull.
  private func refusal(of settings: ProgramSettings) -> Reply? {
    guard settings.exitsOnSuspend || settings.isPurgeable || settings.keepsLines else { return nil }
    return .error(.badValue, .init(.adoptedIsNeverEnded))
  }

  // MARK: Programs go

  func letGo(_ name: String) -> Reply {
    guard let program = program(named: name) else { return noSuchProgram(name) }
    guard program.isAdopted else { return .error(.refused, .init(.notAdopted, name: name)) }
    letGo(program)
    return .ok(Message(.ok).adding(.name, name).adding(.pid, program.pid))
  }

  func letGo(_ program: Program) {
    sources.dropAll(of: program.id)
    feed(.letGo(program.id))
  }

  // MARK: Signals that others send

  /// From the first adopted program on.
  func watchSignals() {
    guard case .unwatched = signals, programs.contains(where: \.isAdopted) else { return }
    do throws(SystemError) {
      let watch = try SignalWatch()
      for raw in watch.descriptors { _ = try reactor.add(raw, .readable, as: .outsideSignal) }
      signals = .watched(watch)
    } catch {
      signals = .lookedAt(next: seenAt)
    }
  }

  /// A signal waits for the thaw of its process.
  func wakeSignalled() {
    for program in sleepers where hasSignal(program) {
      feed(.signalled(program.id))
      freezer.signalled(program.id, at: seenAt)
    }
  }

  private var sleepers: [Program] {
    programs.filter { $0.isAdopted && engine.state(of: $0.id) == .suspended }
  }

  private func hasSignal(_ program: Program) -> Bool {
    let pids = (try? program.suspender.processes()) ?? []
    return pids.contains { pid in
      guard let signals = try? ThreadSignals(of: pid, in: pid) else { return false }
      return signals.pending & ~signals.ignored != 0
    }
  }

  var deadline: Int64? {
    guard case .lookedAt(let next) = signals, !sleepers.isEmpty else { return nil }
    return next
  }

  func timeIsUp() {
    guard case .lookedAt(let next) = signals, next <= Clock.boottime() else { return }
    signals = .lookedAt(next: Clock.boottime() + policy.supervision.signalLook.nanoseconds)
    wakeSignalled()
  }

  func finish(goesOn: Bool) {
    guard case .watched(let watch) = signals else { return }
    withExtendedLifetime(watch) { signals = .unwatched }
  }
}

import LullChannel
import LullEngine
import LullModel
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
  /// The moment of the next look at programs that are only watched, on CLOCK_BOOTTIME.
  private var dryLook: Int64 = .min

  init(_ core: Core, _ lifecycle: LifecycleFeature) { (self.core, self.lifecycle) = (core, lifecycle) }

  // MARK: Programs come

  func adopt(_ descriptor: DescriptorBox?, by wanted: Request.Adopt, for client: Client) -> Reply {
    guard let pidfd = descriptor else { return .missingDescriptor }
    guard let pid = try? Process.number(of: pidfd.raw), Process.isNumbered(pidfd.raw),
      !Process.hasEnded(pidfd.raw),
      let home = suspenders.cgroupPath(of: pid)
    else { return .error(.refused, .init(.adoptsNothing)) }
    let refusal =
      refusal(of: pid, pidfd, for: client) ?? refusal(of: wanted.settings)
      ?? refusal(ofCgroup: home, isWhole: wanted.kind != .process, client)
    if let refusal { return refusal }
    let words = Self.words(of: pid)
    guard let name = wanted.name ?? lifecycle.freeName(for: Self.command(in: words)) else {
      return .error(.badValue, .init(.needsName, text: words))
    }
    guard !lifecycle.isTaken(name) else { return Reply(.nameInUse(name)) }
    var registration = Registration(wanted.run, name: name)
    registration.isAdopted = true
    if wanted.isDryRun { registration.settings.actsNot() }
    if let refusal = engine.refusal(of: registration) { return Reply(refusal) }
    if wanted.isDryRun {
      let suspender = suspenders.suspender(dryRunOf: pid, pidfd)
      return begin(
        registration, CommandRules(wanted, words: words), suspender: suspender, process: (pid, pidfd))
    }
    do throws(SystemError) {
      let suspender = try suspenders.suspender(adopted: name, pid: pid, pidfd: pidfd, home: home) {
        () throws(SystemError) in
        guard wanted.kind == .process else { return try self.suspenders.processes(at: home) }
        return try self.suspenders.descendants(of: pid, pidfd).filter {
          self.suspenders.cgroupPath(of: $0) == home
        }
      }
      return begin(
        registration, CommandRules(wanted, words: words), suspender: suspender, process: (pid, pidfd))
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
      pid: process.pid, pidfd: process.pidfd)
    guard let program = lifecycle.admit(seed, registration) else {
      suspenders.dismiss(suspender)
      return lifecycle.admissionRefusal
    }
    lifecycle.begins(program, registration, isDetached: !suspender.isDryRun)
    watchSignals()
    return .ok(Message(.ok).adding(.name, program.name).adding(.pid, process.pid))
  }

  private static func words(of pid: Int32) -> String {
    let text = (try? Files.read("/proc/\(pid)/cmdline", limit: 1 << 21)) ?? []
    let words = text.prefix(longestWords).split(separator: 0).joined(separator: [UInt8(ascii: " ")])
    return String(decoding: Array(words), as: UTF8.self)
  }

  /// Without the colon of a title that a program gives itself, such as `nginx: master process`.
  private static func command(in words: String) -> String {
    let first = words.prefix { $0 != " " }
    return String(first.hasSuffix(":") ? first.dropLast() : first)
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

  /// `isWhole`: everything in the cgroup is taken.
  private func refusal(ofCgroup path: String, isWhole: Bool, _ client: Client) -> Reply? {
    if suspenders.isFrozen(at: path) { return .error(.refused, .init(.adoptsFrozen, text: path)) }
    guard isWhole else { return nil }
    let shared = Reply.error(.refused, .init(.adoptsSharedCgroup, text: path))
    guard path != "/", let pids = try? suspenders.processes(at: path) else { return shared }
    let isShared = pids.contains { pid in
      pid == client.pid || lifecycle.isOwn(pid) || lifecycle.signalled(pid) != nil
        || lifecycle.descends(client.pid, from: pid)
    }
    return isShared ? shared : nil
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

  // MARK: Signals that others send

  /// From the first adopted program on.
  func watchSignals() {
    guard case .unwatched = signals, programs.contains(where: isHeld) else { return }
    do throws(SystemError) {
      let watch = try SignalWatch()
      for raw in watch.descriptors { _ = try reactor.add(raw, .readable, as: .outsideSignal) }
      signals = .watched(watch)
    } catch {
      signals = .lookedAt(next: seenAt)
    }
  }

  /// A signal that came while the last freeze was under way ends that.
  func wakeSignalled() {
    for program in programs where isHeld(program) && freezer.isFrozen(program.id) {
      guard observer.isSignalDue(program.id, pids(of: program)) else { continue }
      feed(isAsleep(program) ? .signalDue(program.id) : .signalled(program.id))
    }
  }

  private func isHeld(_ program: Program) -> Bool { program.isAdopted && !program.suspender.isDryRun }

  private func isAsleep(_ program: Program) -> Bool { engine.state(of: program.id) == .suspended }

  var deadline: Int64? {
    let look = programs.contains { $0.suspender.isDryRun && isAsleep($0) } ? dryLook : nil
    guard case .lookedAt(let next) = signals, programs.contains(where: { isHeld($0) && isAsleep($0) })
    else { return look }
    return earlier(look, next)
  }

  /// A program that is only watched runs on in its sleep.
  private func lookAtDryRuns() {
    guard dryLook <= Clock.boottime() else { return }
    dryLook = Clock.boottime() + policy.supervision.dryLook.nanoseconds
    for program in programs where program.suspender.isDryRun && isAsleep(program) {
      for event in sources.lookDry(at: program.id, pids(of: program)) { feed(event) }
    }
  }

  func timeIsUp() {
    lookAtDryRuns()
    guard case .lookedAt(let next) = signals, next <= Clock.boottime() else { return }
    signals = .lookedAt(next: Clock.boottime() + policy.supervision.signalLook.nanoseconds)
    wakeSignalled()
  }
}

extension ProgramSettings {
  /// Without what would be done to the program or in its name: it is only watched.
  fileprivate mutating func actsNot() {
    (probes, tcpKeepAlive, udpKeepAlive, memorySignal, staysInMemory) = ([], nil, nil, nil, true)
  }
}

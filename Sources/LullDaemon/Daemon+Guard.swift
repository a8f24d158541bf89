import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Takes back the commands that ran under the daemon before this one, before any client is heard.
  func restore() {
    guard let guardian else { return }
    let limit = Clock.boottime() + 5_000_000_000
    while Clock.boottime() < limit {
      guard let ready = try? Socket.poll(guardian.descriptor.raw, .readable, timeoutMilliseconds: 5000),
        !ready.isEmpty, let messages = guardian.receive(&receiveBuffer)
      else { return }
      // The end of a program that the guard saw meanwhile can stand right behind `begin`.
      for (message, descriptor) in messages { heard(message, descriptor) }
      if messages.contains(where: { $0.0.verb == "begin" }) { return }
    }
  }

  func guardianSpoke() {
    guard let guardian else { return }
    guard let messages = guardian.receive(&receiveBuffer) else { return guardianGone() }
    for (message, descriptor) in messages { heard(message, descriptor) }
  }

  private func heard(_ message: Message, _ descriptor: DescriptorBox?) {
    switch message.verb {
    case "restore": if let descriptor { restore(message, descriptor) }
    case "reaped": reaped(message)
    default: break
    }
  }

  private func restore(_ message: Message, _ pidfd: DescriptorBox) {
    guard let name = message[.name], let pid = (try? message.integer(.pid)).flatMap(Int32.init(exactly:)),
      let managed = message[.managed], managed == Vocabulary.Management.command.rawValue
    else { return }
    guard let run = try? Request.Run(message) else { return }
    var registration = Registration(run, name: name)
    registration.resumes = registration.sleepsByItself ? .background : nil
    let (since, lastRun) = (moment(.since, of: message), moment(.lastRun, of: message))
    registration.keepAliveSince = since.map(clock.moment(atBoottime:))
    registration.keepAliveLastRun = lastRun.map(clock.moment(atBoottime:))
    registration.isSpared = message[Shelf.spared.key] != nil
    let suspender: Suspender =
      if let path = message[.cgroup], let cgroup = try? Cgroup.open(at: path) {
        .cgroup(cgroup)
      } else {
        .signal(.group(pid), why: place.remark ?? "")
      }
    let seed = ProgramSeed(
      name: name, isCommand: true, suspender: suspender, pid: pid, pidfd: pidfd, speaker: nil)
    guard let program = install(seed, registration) else { return }
    program.command = CommandRules(run, words: message[.text] ?? name)
    (program.startedAt, program.keepAliveRanAt) = (since, lastRun)
    if registration.isSpared { program.remark = Self.sparedRemark }
    // Stored again, since only now everything is known of it.
    guardian?.store(program, registration)
    program.isRestored = message[Shelf.foreign.key] == nil
    // Its connection broke with the old daemon; `lull run` attaches again, and nobody hangs up meanwhile.
    program.isDetached = true
    if message[.status] != nil || message[.signal] != nil { reaped(message) }
  }

  private func moment(_ key: Key, of message: Message) -> Int64? {
    (try? message.integer(ifPresent: key, in: 0 ... .max)) ?? nil
  }

  private func reaped(_ message: Message) {
    guard let pid = try? message.integer(.pid),
      let program = programs.first(where: { $0.map { Int64($0.pid) } == pid }) ?? nil,
      program.leaderStatus == nil
    else { return }
    let code = (try? message.integer(ifPresent: .status)) ?? nil
    let signal = (try? message.integer(ifPresent: .signal)) ?? nil
    if let code {
      ended(program, .exited(Int32(truncatingIfNeeded: code)))
    } else {
      ended(program, signal.map { .signaled(Int32(truncatingIfNeeded: $0)) } ?? .unknown)
    }
  }

  /// Without a guard nothing would thaw the programs if this process died: it starts another one and tells it
  /// everything anew. Where that fails it ends in good order, with every program thawed.
  private func guardianGone() {
    if let link = guardian { try? epoll.remove(link.descriptor.raw) }
    guardian = nil
    if let replaced = guardProcess { _ = try? Process.waitStatus(replaced.raw) }
    // The commands that it was the parent of are nobody's children here: their pidfds tell that they ended.
    for case let program? in programs { program.isRestored = false }
    do {
      let link = try startGuard()
      try epoll.add(link.descriptor.raw, token: Token(.guardian).raw, interest: .readable)
      guardian = link
      for case let program? in programs {
        guard let view = engine.program(program.id, at: now) else { continue }
        link.store(program, view.registration)
      }
      journal.note(at: Clock.realtime(), program: nil, what: "guard-replaced")
    } catch {
      Startup.complain("lulld: no new lull-guard: \(error); every program is thawed")
      isStopping = true
    }
  }

  private func startGuard() throws(SystemError) -> GuardLink {
    let (own, other) = try UnixSocket.pair()
    let this = try Process.pidfdOpen(Identity.pid())
    var request = SpawnRequest([try Startup.sibling("lull-guard"), "--adopt"] + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener.raw, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
      .init(this.raw, as: DaemonOptions.wardNumber),
    ]
    request.group = .newSession
    request.openFileLimit = options.openFileLimit
    let (pidfd, status) = try Process.spawn(request).boxes()
    _ = try Socket.poll(status.raw, .readable, timeoutMilliseconds: 1000)
    if case .failed(let error) = try Process.execResult(status.raw) { throw error }
    guardProcess = pidfd
    return GuardLink(own)
  }
}

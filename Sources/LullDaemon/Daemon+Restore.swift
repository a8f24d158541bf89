import LullEngine
import LullSystem
import LullWire

// What the daemon before this one had.
extension Daemon {
  /// Takes back the commands that ran under the daemon before this one, before any client is heard.
  func restore() {
    guard let guardian else { return }
    let limit = Clock.boottime() + 5_000_000_000
    while Clock.boottime() < limit {
      Alarm.set(seconds: Self.longestTurn)
      guard let ready = try? Socket.poll(guardian.descriptor.raw, .readable, timeoutMilliseconds: 1000)
      else { return }
      guard !ready.isEmpty else { continue }
      guard guardian.receive(&receiveBuffer) else { return }
      // The end of a program that the guard saw meanwhile can stand right behind `begin`.
      heardGuard()
      if case .watched = watching { return }
    }
  }

  func restore(_ message: Message, _ pidfd: DescriptorBox) {
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
        signals(restored: pid, pidfd, isForeign: message[Shelf.foreign.key] != nil)
      }
    let seed = ProgramSeed(
      name: name, isCommand: true, suspender: suspender, pid: pid, pidfd: pidfd, speaker: nil)
    guard let program = install(seed, registration) else { return }
    program.command = CommandRules(run, words: message[.text] ?? name)
    (program.startedAt, program.keepAliveRanAt) = (since, lastRun)
    if registration.isSpared { program.remark = Self.sparedRemark }
    // Stored again, since only now everything is known of it.
    guardian?.store(program, registration)
    (program.isRestored, program.awaitsTrial) = (message[Shelf.foreign.key] == nil, true)
    // Its connection broke with the old daemon; `lull run` attaches again, and nobody hangs up meanwhile.
    program.isDetached = true
    if message[.status] != nil || message[.signal] != nil { reaped(message) }
  }

  private func moment(_ key: Key, of message: Message) -> Int64? {
    (try? message.integer(ifPresent: key, in: 0 ... .max)) ?? nil
  }

  func reaped(_ message: Message) {
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
}

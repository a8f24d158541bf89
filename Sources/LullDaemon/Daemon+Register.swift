import LullEngine
import LullSystem
import LullWire

/// A program before the engine has given it an id.
struct ProgramSeed {
  let name: String
  let isCommand: Bool
  let suspender: Suspender
  let pid: Int32
  let pidfd: DescriptorBox
  weak var speaker: Client?
  var isGuest = false
}

extension Daemon {
  func register(_ register: Request.Register, _ client: Client) -> Reply {
    let registration = Registration(register)
    if case .program(let id) = client.role, let program = program(id) {
      if program.isGuest { return manage(program, registration, client) }
      return adopt(program, registration, client)
    }
    // Another connection of the process has registered since this one was made: one process is one program.
    if let path = try? Process.cgroupPath(of: client.pid), Process.isNumbered(client.pidfd.raw),
      let program = find(cgroupPath: path)
    {
      client.role = .program(program.id)
      program.connections.append(client)
      return adopt(program, registration, client)
    }
    guard engine.find(name: registration.name) == nil else { return Reply(.nameInUse(registration.name)) }
    guard !isOwn(client.pid) else { return ownProcess }
    let suspender = self.suspender(for: registration.name, client)
    let seed = ProgramSeed(
      name: registration.name, isCommand: false, suspender: suspender, pid: client.pid, pidfd: client.pidfd,
      speaker: client)
    guard let program = install(seed, registration) else {
      if case .cgroup(let cgroup) = suspender { place.retire(cgroup) }
      return installRefusal
    }
    return registered(program, client)
  }

  private func registered(_ program: Program, _ client: Client) -> Reply {
    let state = engine.state(of: program.id) ?? .notRunning
    return .ok(
      Message(.ok).adding(.name, program.name).adding(.state, state.rawValue)
        .adding(.handover, !program.mayTakeDescriptors))
  }

  /// A process in a managed command registers: it becomes the program's voice. A second one only shares the
  /// program.
  private func adopt(_ program: Program, _ registration: Registration, _ client: Client) -> Reply {
    guard program.speaker == nil else { return registered(program, client) }
    program.speaker = client
    program.leavesAt = nil
    dropLines(of: program)
    let answer = ask { .adopt(program.id, registration, $0) }
    guard case .registered = answer else { return Reply(answer) }
    return registered(program, client)
  }

  /// Whether it is this daemon, its guard or a child of its own, which must never stand still. A command is a
  /// child too, but connects for its program.
  private func isOwn(_ pid: Int32) -> Bool {
    let own = Identity.pid()
    guard pid > 1, pid != own else { return true }
    guard place.root != nil else { return false }
    return (try? Process.parentPid(of: own)) == pid || (try? Process.parentPid(of: pid)) == own
  }

  private var ownProcess: Reply {
    .error(code: .refused, message: "a process of Lull itself, or pid 1, cannot be put to sleep")
  }

  /// A process that has been heard already registers: its sessions stay its sessions.
  private func manage(_ guest: Program, _ registration: Registration, _ client: Client) -> Reply {
    if let other = engine.find(name: registration.name), other != guest.id {
      return Reply(.nameInUse(registration.name))
    }
    guard !isOwn(client.pid) else { return ownProcess }
    let suspender = self.suspender(for: registration.name, client)
    guest.becomeManaged(name: registration.name, suspender, cgroupPath: cgroupPath(of: suspender))
    guest.speaker = client
    if case .signal(_, let why) = suspender { guest.remark = "suspended by SIGSTOP: \(why)" }
    let answer = ask { .adopt(guest.id, registration, $0) }
    guard case .registered = answer else { return Reply(answer) }
    guardian?.store(guest, registration)
    return registered(guest, client)
  }

  /// Whether somebody has moved this daemon into the program's cgroup: nobody would thaw the two.
  func holdsDaemon(_ program: Program) throws(SystemError) -> Bool {
    guard let path = program.cgroupPath else { return false }
    let own = try ownCgroup.path()
    return own == path || own.hasPrefix(path + "/")
  }

  /// A cgroup of its own, the one that it was in before the daemon was restarted, or signals.
  private func suspender(for name: String, _ client: Client) -> Suspender {
    if let path = try? Process.cgroupPath(of: client.pid), let cgroup = place.existing(path) {
      return .cgroup(cgroup)
    }
    do {
      guard let cgroup = try place.make(for: name) else {
        return signals(client, why: place.remark ?? "")
      }
      do {
        try place.move(client.pid, client.pidfd, to: cgroup)
        return .cgroup(cgroup)
      } catch {
        place.retire(cgroup)
        throw error
      }
    } catch {
      return signals(client, why: "cannot be moved into a cgroup: \(error)")
    }
  }

  /// Registers with the engine; the program is in its place before the first effect for it is performed.
  func install(_ seed: ProgramSeed, _ registration: Registration) -> Program? {
    answered = nil
    feed(.register(registration, newRequest(.install(seed))))
    guard case .registered(let id, _)? = answered, let program = program(id) else { return nil }
    do {
      try epoll.add(seed.pidfd.raw, token: program.token(.process).raw, interest: [.readable, .oneShot])
    } catch {
      // Its end would be seen by nobody.
      if seed.isCommand { try? seed.suspender.kill() }
      feed(.leave(id))
      return nil
    }
    if !seed.isGuest { guardian?.store(program, registration) }
    return program
  }

  /// Why `install` gave nothing.
  var installRefusal: Reply {
    engine.programs.count < engine.policy.maximumPrograms
      ? .error(
        code: .busy,
        message: "the kernel refuses to watch one more process (/proc/sys/fs/epoll/max_user_watches)")
      : Reply(.tooManyPrograms(engine.policy.maximumPrograms))
  }

  func hand(_ answer: LullEngine.Answer, to request: RequestID) {
    answered = answer
    guard let asker = askers.removeValue(forKey: request.number) else { return }
    guard case .install(let seed) = asker, case .registered(let id, _) = answer else { return }
    let program = Program(seed, id: id, cgroupPath: cgroupPath(of: seed.suspender))
    if case .signal(_, let why) = seed.suspender, !seed.isGuest {
      program.remark = "suspended by SIGSTOP: \(why)"
    }
    while programs.count <= Int(id.slot) { programs.append(nil) }
    programs[Int(id.slot)] = program
    guard let speaker = seed.speaker else { return }
    speaker.role = .program(id)
    program.connections.append(speaker)
  }

  private func cgroupPath(of suspender: Suspender) -> String? {
    guard case .cgroup(let cgroup) = suspender else { return nil }
    return place.relative(cgroup.path)
  }

  /// The connection closed. The process may be ending, which its pidfd tells a moment later; only when it
  /// lives on has it left.
  func speakerGone(_ program: Program) {
    program.speaker = nil
    guard !program.isGuest else { return }
    program.leavesAt = Clock.boottime() + 200_000_000
    leaving.append(program)
  }

  var nextLeave: Int64? { leaving.compactMap(\.leavesAt).min() }

  func programsLeave() {
    let now = Clock.boottime()
    let due = leaving.filter { $0.leavesAt.map { $0 <= now } ?? true }
    leaving.removeAll { program in due.contains { $0 === program } }
    for program in due where program.leavesAt != nil && program.leaderStatus == nil && program.speaker == nil
    {
      program.leavesAt = nil
      dropLines(of: program)
      feed(.leave(program.id))
    }
  }
}

extension Program {
  convenience init(_ seed: ProgramSeed, id: AppID, cgroupPath: String?) {
    self.init(
      id: id, name: seed.name, isCommand: seed.isCommand, suspender: seed.suspender, cgroupPath: cgroupPath,
      pid: seed.pid, pidfd: seed.pidfd, mayTakeDescriptors: Self.mayTakeDescriptors(of: seed.pidfd),
      isGuest: seed.isGuest)
    speaker = seed.speaker
  }

  /// pidfd_getfd checks the ptrace rights before it looks for the number, which nobody has.
  private static func mayTakeDescriptors(of pidfd: DescriptorBox) -> Bool {
    do {
      _ = try Process.getDescriptor(pidfd.raw, number: .max)
      return true
    } catch {
      return !error.isNotPermitted
    }
  }
}

extension Registration {
  init(_ register: Request.Register) {
    self.init(name: register.name, modes: Modes(register.modes))
    launch = register.launch == .background ? .background : .foreground
    exitsOnSuspend = register.exitsOnSuspend
    profile = register.profile == .ios7 ? .ios7 : .ios4
    batchWakes = register.batchWakesNanoseconds.map(Interval.init(nanoseconds:))
    resumes = register.resume.map { $0 == .active ? .active : .background }
  }
}

extension Modes {
  init(_ words: [Request.Mode]) {
    self = words.reduce(into: []) { modes, word in
      switch word {
      case .voip: modes.insert(.voip)
      case .audio: modes.insert(.audio)
      case .externalAccessory: modes.insert(.externalAccessory)
      }
    }
  }

  /// The protocol's words, in the order of display.
  var words: [String] { Modes.names.filter { contains($0.mode) }.map(\.name) }
}

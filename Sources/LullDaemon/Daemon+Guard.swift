import LullEngine
import LullSystem
import LullWire

/// Who thaws the programs should this process die.
enum Watching {
  /// Nobody, and nobody is to.
  case nobody
  /// One that has not said yet that it watches.
  case expected(GuardLink, DescriptorBox?, since: Int64)
  case watched(GuardLink, DescriptorBox?, since: Int64)
  /// One is started at this moment of CLOCK_BOOTTIME. Nothing is put to sleep until then.
  case missing(until: Int64)
}

/// A program that is left running, because this process died three times when it was taken back.
struct LeftProgram {
  let name: String
  let pid: Int32
  let pidfd: DescriptorBox
}

// What is said on the link.
extension Daemon {
  var guardian: GuardLink? {
    switch watching {
    case .expected(let link, _, _), .watched(let link, _, _): link
    case .nobody, .missing: nil
    }
  }

  func guardianSpoke() {
    guard let guardian else { return }
    if guardian.flush() { tellGuardEverything() }
    guard guardian.receive(&receiveBuffer) else { return guardianGone() }
    heardGuard()
  }

  func heardGuard() {
    while let (message, descriptor) = guardian?.next() { heard(message, descriptor) }
  }

  private func heard(_ message: Message, _ descriptor: DescriptorBox?) {
    switch GuardVerb(rawValue: message.verb) {
    case .restore:
      if let descriptor { restore(message, descriptor) }
      guardian?.tell(Message(.restored).adding(.name, message[.name]))
    case .left: if let descriptor { leave(message, descriptor) }
    case .reaped: reaped(message)
    case .full: full(message[.name])
    case .thawed: wakeSleepers()
    case .begin: guardWatches()
    default: break
    }
  }

  func tellGuardEverything() {
    guardian?.tell(Message(.anew))
    for case let program? in programs where !program.isGuest {
      guard let view = engine.program(program.id, at: now) else { continue }
      guardian?.store(program, view.registration)
    }
  }

  private func leave(_ message: Message, _ pidfd: DescriptorBox) {
    guard let name = message[.name], let pid = (try? message.integer(.pid)).flatMap(Int32.init(exactly:))
    else { return }
    leftPrograms.append(LeftProgram(name: name, pid: pid, pidfd: pidfd))
    journal.note(at: Clock.realtime(), program: name, what: "left-running")
  }

  private func full(_ name: String?) {
    journal.note(at: Clock.realtime(), program: name, what: "guard-full")
    guard let program = programs.first(where: { $0?.name == name }) ?? nil else { return }
    program.remark = "not managed on if lulld dies: lull-guard has no descriptor left for it"
  }

  /// They run, and nothing has woken them here.
  func wakeSleepers() {
    for case let program? in programs {
      if case .frozen = program.freezing { _ = ask { .command(program.id, .wake, $0) } }
    }
  }

  /// What everybody should know who looks at the status.
  func guardRemarks() -> [String] {
    forgetEndedLeft()
    var remarks = leftPrograms.map { left in
      "\(left.name) (pid \(left.pid)) is left running and not managed: lulld died \(Shelf.maximumDeaths) times "
        + "when it took it back; end it, and start it again with `lull run`"
    }
    if case .missing = watching {
      remarks.append("no lull-guard can be started: no program is put to sleep until there is one")
    }
    return remarks
  }

  private func forgetEndedLeft() {
    leftPrograms.removeAll { left in
      let readiness = try? Socket.poll(left.pidfd.raw, .readable, timeoutMilliseconds: 0)
      guard readiness?.isEmpty == false else { return false }
      guardian?.tell(Message(GuardVerb.forget).adding(.name, left.name))
      return true
    }
  }
}

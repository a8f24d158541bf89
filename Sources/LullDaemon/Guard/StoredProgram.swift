import LullEngine
import LullSystem
import LullWire

extension KeptProgram {
  /// The end that somebody has asked for, of a program that has not ended yet.
  struct Ending {
    /// The reason; nil for one that is to stay.
    var reason: KillReason?
    /// The last moment at which it was sent a signal that asks for its end, on CLOCK_BOOTTIME.
    var askedAt: Int64?
  }

  /// The description of a program for the next lulld.
  init(_ program: Program, _ registration: Registration, ending: Ending) {
    let cgroup: String? = if case .cgroup(let cgroup) = program.suspender { cgroup.path } else { nil }
    self.init(
      name: program.name, pid: program.pid, suspender: program.suspender.word, cgroup: cgroup,
      command: program.commandState.map { state in
        KeptCommand(
          run: state.rules.run, words: state.rules.words, isFreezeExempt: registration.isFreezeExempt,
          startedAt: state.startedAt, keepAliveRanAt: state.keepAliveRanAt, ending: ending.reason,
          endWord: program.endWord, askedToEndAt: ending.askedAt)
      })
  }
}

/// A command of the daemon before this one, as lull-guard hands it over.
struct RestoredProgram {
  let name: String
  let pid: Int32
  let pidfd: DescriptorBox
  let cgroup: String?
  let command: KeptCommand

  /// Nil for a message that does not describe a command.
  init?(_ message: Message, _ pidfd: DescriptorBox) {
    guard let kept = try? KeptProgram(message), let command = kept.command else { return nil }
    (name, pid, cgroup, self.command, self.pidfd) = (kept.name, kept.pid, kept.cgroup, command, pidfd)
  }
}

extension Message {
  var pid: Int32? { (try? integer(.pid)).flatMap(Int32.init(exactly:)) }
}

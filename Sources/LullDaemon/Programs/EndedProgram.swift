import LullChannel
import LullEngine
import LullSystem
import LullWire

/// A program that has ended: how, when and why.
struct EndedProgram: Equatable {
  enum End: Equatable {
    case exited(ExitStatus)
    /// It goes on, but is not managed any more, until its process ends; nil: nobody has noted which that is.
    case left(ProcessIdentity?)
  }

  let name: String
  /// Nanoseconds of the wall clock.
  let at: Int64
  let end: End
  /// The reason, as an item tells it; nil when nobody learned it.
  let reason: String?
  /// The schemes of the links that it took.
  let schemes: [String]

  init(name: String, at: Int64, end: End, reason: String? = nil, schemes: [String] = []) {
    (self.name, self.at, self.end, self.reason, self.schemes) = (name, at, end, reason, schemes)
  }

  /// The record for clients.
  var item: Message {
    let item = Message(item: .ended).adding(.name, name).adding(.at, Double(at / 1000) / 1e6)
    return switch end {
    case .exited(let status): item.adding(status).adding(.reason, reason)
    case .left(let process): item.adding(flag: .left, if: process?.hasEnded != true)
    }
  }

  /// The line of the file.
  var line: Message {
    let line = item.adding(.schemes, list: schemes.isEmpty ? nil : schemes)
    guard case .left(let process?) = end else { return line }
    return EndedFile.adding(process, to: line)
  }

  /// Reads a line of the file; nil when it is none.
  init?(_ line: Message) {
    guard line.itemKind == .ended, let name = line[.name], ProgramName.isValid(name),
      let seconds = try? line.number(.at), abs(seconds) < 9e9, let hasLeft = try? line.flag(.left),
      let schemes = try? line[.schemes] == nil ? [] : line.list(.schemes)
    else { return nil }
    self.init(
      name: name, at: Int64((seconds * 1e6).rounded()) * 1000,
      end: hasLeft && !EndedFile.isOver(line)
        ? .left(EndedFile.process(of: line)) : .exited(line.exitStatus),
      reason: line[.reason], schemes: schemes)
  }
}

extension EndedProgram {
  /// Reads what was written of an end that no daemon has seen; nil when it is none.
  init?(alone line: Message) {
    guard let ended = EndedProgram(line), case .exited(let status) = ended.end else { return nil }
    self.init(
      name: ended.name, at: ended.at, end: ended.end,
      reason: ended.reason ?? EndReason(status)?.rawValue)
  }

  /// True when both tell of one end, of which one may have known the reason: the program's daemon and its
  /// parent take their times within a second of each other, and nothing is started again so soon.
  func isSameEnd(as other: EndedProgram) -> Bool {
    name == other.name && end == other.end && (at &- other.at).magnitude < 1_000_000_000
  }

  /// True for an end after which an installed program is started again.
  var hasCrashed: Bool {
    [EndReason.crashed, .notStarted].contains { $0.rawValue == reason }
  }
}

/// Why a program ended. Raw values are the words of the item `ended`, beside those of `KillReason`.
enum EndReason: String {
  /// The user quit it.
  case quit
  /// The user ended it to start it again.
  case restarted
  /// The operator ended it as if memory were short.
  case purgedByOperator = "purged-by-operator"
  /// `lull daemon stop --programs` ended it.
  case stoppedWithDaemon = "daemon-stopped"
  /// It did not take the lines that it got back.
  case linesUntaken = "lines-untaken"
  /// It could not become its command.
  case notStarted = "not-started"
  /// A signal or an exit status that means a fault ended it.
  case crashed
  /// A signal that asks to end ended it (SIGHUP, SIGINT, SIGQUIT, SIGTERM).
  case terminated
  /// Its exit status was 0, or that by which a shell tells a signal that asks to end.
  case exited

  /// The reason of an end that Lull has not brought about; nil when nobody learned the status.
  init?(_ status: ExitStatus) {
    switch status {
    case .unknown: return nil
    case .exited: self = Policy.isFault(status) ? .crashed : .exited
    case .signaled: self = Policy.isFault(status) ? .crashed : .terminated
    }
  }
}

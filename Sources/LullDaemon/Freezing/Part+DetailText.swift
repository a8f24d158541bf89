import LullEngine
import LullWire

extension Part {
  /// The line of an ``Explanation``, or a word or text that says all.
  func detailText(_ detail: Detail, of program: Program) -> String? {
    switch detail {
    case .text(let text): text
    case .unwatchable(let what): what.rawValue
    default: explanation(detail, of: program)?.line
    }
  }

  private func explanation(_ detail: Detail, of program: Program) -> Explanation? {
    switch detail {
    case .none, .text, .unwatchable: nil
    case .thread(let process, let thread): .init(.threadWorks, pid: process, thread: thread)
    case .call(let process, let thread, let call):
      .init(.callUnderWay, pid: process, thread: thread, text: call)
    case .processor(let percent): .init(.processorUsed, number: percent)
    case .signal(let process): .init(.signalWaits, pid: process)
    case .line(let id, let unread):
      .init(
        .lineUnread, number: id.number, bytes: unread > 0 ? unread : nil,
        text: sources.text(of: id, program.id))
    case .doorbell: .init(.soundDoorbell)
    case .tick(let wait, let isSession):
      .init(isSession ? .wakesItselfInCall : .wakesItself, seconds: wait.seconds)
    case .query(let id, let left):
      .init(.lineQuery, number: id.number, seconds: left.seconds, text: sources.text(of: id, program.id))
    case .port(let port): .init(.portMissing, number: port)
    case .count(let count, let most): .init(.moreThanWatched, count: count, limit: Double(most))
    case .sound(let name, let isSure): .init(isSure ? .soundRuns : .soundMayRun, text: name)
    }
  }
}

import LullEngine

extension Part {
  func detailText(_ detail: Detail, of program: Program) -> String? {
    switch detail {
    case .none: nil
    case .thread(let process, let thread): "thread \(thread) of process \(process) is at work"
    case .call(let process, let thread, let call):
      "thread \(thread) of process \(process) is in the middle of \(call)"
    case .processor(let percent): "it has used \(percent) % of a processor since the last look"
    case .signal(let process): "a signal waits for process \(process)"
    case .line(let id, let unread):
      "line \(id.number), \(sources.text(of: id, program.id) ?? "closed")"
        + (unread > 0 ? ", \(unread) bytes" : "")
    case .doorbell: "the doorbell of its sound"
    case .tick(let wait, let isSession):
      "it wakes every \(max(1, wait.nanoseconds / 1_000_000)) ms"
        + (isSession ? " and has opened UDP sockets" : "")
    case .query(let id, let left):
      "line \(id.number), \(sources.text(of: id, program.id) ?? "closed"), for up to \(left.seconds) s"
    case .port(let port): "no socket has port \(port)"
    case .count(let count, let most): "\(count); at most \(most) are looked at"
    case .unwatchable(let what): what.rawValue
    case .sound(let name, let isSure):
      isSure ? "\(name) runs" : "a stream of \(name) may run"
    case .text(let text): text
    }
  }
}

import LullSystem
import LullWire

/// The last programs that have ended, for `lull status --all`; in memory.
final class EndedPrograms {
  private enum End {
    case exited(ExitStatus)
    /// It goes on, but is not managed any more.
    case left
  }

  private struct Ended {
    let name: String
    /// Nanoseconds of the wall clock.
    let at: Int64
    let end: End
    /// The schemes of the links that it took.
    let schemes: [String]

    var item: Message {
      let item = Message(item: .ended).adding(.name, name).adding(.at, Double(at / 1000) / 1e6)
      return switch end {
      case .exited(let status): item.adding(status)
      case .left: item.adding(flag: .left)
      }
    }
  }

  static let capacity = 64

  /// Oldest first.
  private var programs: [Ended] = []

  func exited(_ name: String, _ status: ExitStatus, at moment: Int64, taking schemes: [String] = []) {
    add(Ended(name: name, at: moment, end: .exited(status), schemes: schemes))
  }

  func left(_ name: String, at moment: Int64) {
    add(Ended(name: name, at: moment, end: .left, schemes: []))
  }

  /// The programs that took links of a scheme when they ended.
  func names(taking scheme: String) -> [String] {
    programs.indices.filter { index in
      programs[index].schemes.contains(scheme)
        && !programs[(index + 1)...].contains { $0.name == programs[index].name }
    }.map { programs[$0].name }
  }

  private func add(_ ended: Ended) {
    if programs.count == Self.capacity { programs.removeFirst() }
    programs.append(ended)
  }

  /// A record for each, the last one first; with a name, for those of that name.
  func items(of name: String?) -> [Message] {
    programs.reversed().filter { name == nil || $0.name == name }.map(\.item)
  }
}

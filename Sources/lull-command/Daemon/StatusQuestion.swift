import LullSystem
import LullWire

struct StatusQuestion {
  /// The time for which an end is told where no program runs, in seconds.
  private static let recently = 600.0

  var name: String?
  var all = false

  func lastEnd(_ report: StatusReport) -> EndedItem? {
    name != nil && report.programs.isEmpty ? report.ended?.first : nil
  }

  /// For the name of a program that has ended, the report has no programs, but its ends; where no program
  /// runs, it has those that have just ended.
  func ask(_ connection: inout Connection) throws(Failure) -> StatusReport {
    var items: [Message]
    do throws(Failure) {
      items = try connection.ask(.status(name: name, all: all)).items
    } catch .refused(.noSuchProgram, _) where name != nil && !all {
      items = try connection.ask(.status(name: name, all: true)).items
    }
    let isEmpty = name == nil && !all && !items.contains { $0.itemKind == .program }
    if isEmpty {
      items += try connection.ask(.status(name: nil, all: true)).items.filter { $0.itemKind == .ended }
    }
    var report = try readable(StatusReport(items))
    let ended = try readable(items.records(EndedItem.self))
    if all || report.programs.isEmpty { report.ended = isEmpty ? Self.recent(ended) : ended }
    return report
  }

  private static func recent(_ ended: [EndedItem]) -> [EndedItem] {
    let since = Double(Clock.realtime()) / 1e9 - recently
    var names: Set<String> = []
    return ended.filter { $0.at >= since && names.insert($0.name).inserted }
  }
}

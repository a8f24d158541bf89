import LullChannel
import LullEngine
import LullSystem

struct LineServices {
  let reactor: DaemonReactor
  let closer: Closer
  let releases: ReleaseQueue
  let journal: Journal
  let responder = OffloadResponder()
  let slots = LineSlots()
}

final class LineSlots {
  private var table = SlotTable<HeldLine>()

  subscript(slot: Slot) -> HeldLine? { table[slot] }

  func insert(_ make: (Slot) -> HeldLine) -> HeldLine { table.insert(making: make) }

  func remove(_ slot: Slot) { table.remove(slot) }
}

/// The lines of one program, and the facts about its last wake. It never leaves `WakeSources`.
final class ProgramLines {
  let app: AppID
  let services: LineServices
  /// In the order of their ids.
  private(set) var lines: [HeldLine] = []
  private var known: [FileKey: HeldLine] = [:]
  var wake = WakeFacts()
  var arming: Arming?

  init(_ app: AppID, _ services: LineServices) { (self.app, self.services) = (app, services) }

  func line(_ id: LineID) -> HeldLine? {
    guard let place = place(of: id) else { return nil }
    return lines[place]
  }

  func line(_ key: FileKey) -> HeldLine? { known[key] }

  func place(from id: LineID) -> Int { lines.firstPlace { $0.id >= id } }

  /// A nil `last` means from the first line on.
  func lines(after last: LineID?, atMost count: Int) -> ArraySlice<HeldLine> {
    let start = last.map { place(from: LineID($0.number &+ 1)) } ?? 0
    return lines[start..<min(lines.count, start + count)]
  }

  private func place(of id: LineID) -> Int? {
    let place = place(from: id)
    return place < lines.count && lines[place].id == id ? place : nil
  }

  func add(_ line: HeldLine) {
    lines.insert(line, at: place(from: line.id))
    if let key = line.found?.key { known[key] = line }
  }

  /// The line need not have been armed.
  func drop(_ line: HeldLine) {
    close(line)
    if let place = place(of: line.id), lines[place] === line { lines.remove(at: place) }
    if let key = line.found?.key, known[key] === line { known[key] = nil }
  }

  func dropAll() {
    for line in lines { close(line) }
    (lines, known) = ([], [:])
  }

  private func close(_ line: HeldLine) {
    if let set = line.epollSet { services.releases.add(set.duplicate, set.registration) }
    if let duplicate = line.duplicate {
      services.releases.add(duplicate, line.registration)
      (line.duplicate, line.registration) = (nil, nil)
    }
    services.slots.remove(line.slot)
  }

  /// A set that is watched as a whole is only disarmed.
  func release() {
    arming = nil
    for line in lines {
      if let set = line.epollSet {
        set.disarm(in: services.reactor)
      } else if let duplicate = line.duplicate {
        services.releases.add(duplicate, line.registration)
        (line.duplicate, line.registration) = (nil, nil)
        line.found?.oldNews = nil
        line.found?.newSender = nil
      }
    }
  }
}

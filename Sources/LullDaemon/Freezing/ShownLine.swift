import LullEngine
import LullInspect
import LullSystem
import LullWire

struct ShownLine {
  let id: LineID
  let description: LineDescription
  let offload: Offload
  let isSet: Bool
  let connections: Int?
  /// Unread bytes; nil while the program runs, since only a sleeping program's line has a duplicate to ask.
  let unread: Int?
  let place: (pid: Int32, number: Int32)?
  let isDisregarded: Bool

  /// Nil for a line that is not shown. The members of a small set are shown themselves. A line that only the
  /// program can make ready is not shown.
  init?(_ line: HeldLine, _ log: any FailureLog) {
    guard line.epollSet?.facts.isLarge != false, line.found?.isInside != true else { return nil }
    (id, description, offload, isSet) = (line.id, line.description, line.offload, line.epollSet != nil)
    connections = line.epollSet?.count
    if let duplicate = line.duplicate {
      unread = log.ignoring(.unsupported, try Socket.unreadBytes(duplicate.raw))
    } else {
      unread = nil
    }
    place = line.found.map { ($0.pid, line.number) }
    isDisregarded = line.found?.isDisregarded == true
  }
}

struct LinePage {
  let views: [ShownLine]
  /// The last line that was visited, shown or not.
  let last: LineID
  var members: [Int32] = []
}

struct MemberView {
  let line: LineID
  let number: Int32
  let pid: Int32
  let description: LineDescription
  let unread: Int?

  /// The duplicate is closed at once, so that the program's own `close()` is seen by its peer.
  init?(_ number: Int32, of line: HeldLine, _ log: any FailureLog) {
    guard let set = line.epollSet,
      let process = log.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(set.pid))),
      let descriptor = log.ignoring(
        .gone,
        DescriptorBox(
          try Process.getDescriptor(process.raw, number: number), closer: set.duplicate.closer))
    else { return nil }
    (self.line, self.number) = (line.id, number)
    pid = line.found?.pid ?? set.pid
    description = Socket.describe(descriptor.raw)
    unread = log.ignoring(.unsupported, try Socket.unreadBytes(descriptor.raw))
  }

  func item(of program: Program) -> Message {
    let item = LineItem(of: program.name, id: line, description) {
      ($0.unread, $0.pid, $0.fd) = (unread.map { Int64($0) }, Int64(pid), Int64(number))
    }
    return item.message
  }
}

extension LineItem {
  init(of program: String, id: LineID, _ description: LineDescription, _ fill: (inout Self) -> Void) {
    self.init {
      ($0.program, $0.id, $0.kind) = (program, UInt64(id.number), OpenWord(description.kind))
      ($0.local, $0.peer) = (description.local, description.peer)
      fill(&$0)
    }
  }
}

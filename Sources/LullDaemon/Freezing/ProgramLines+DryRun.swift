import LullChannel
import LullEngine
import LullInspect
import LullSystem

// A program that is only watched reads what comes before anybody can see it in the buffer. A duplicate of its
// connection would hide from the peer that it has closed it, so none is held: what has come is counted by the
// kernel.
extension ProgramLines {
  func leave(_ line: HeldLine, _ duplicate: DescriptorBox) -> Event? {
    line.found?.received = (try? Socket.tcpActivity(duplicate.raw))?.received
    line.duplicate = nil
    services.releases.add(duplicate)
    return nil
  }

  /// One event for each connection on which bytes have come, and one for new connections. Duplicates of
  /// lines that the program has closed are given up.
  func lookDry(at pids: [Int32]) -> [Event] {
    var events = newConnection(in: pids).map { [$0] } ?? []
    for line in lines {
      if let before = line.found?.received {
        let received = received(on: line)
        guard received != before else { continue }
        wake.woken(by: line.description, sender: nil, size: nil)
        // It has run to close it, mostly since its peer had.
        events.append(.ready(app, line.id, received == nil ? .closed : .data))
      } else if line.duplicate != nil, let found = line.found, !isOpen(line, found) {
        drop(line)
        events.append(.lineLost(app, line.id))
      }
    }
    return events
  }

  /// The program has taken it from the queue of a listening socket before anybody could look there.
  private func newConnection(in pids: [Int32]) -> Event? {
    let (before, files) = (openFiles, Self.openFiles(of: pids))
    openFiles = files
    guard let before, files > before else { return nil }
    let listeners = lines.filter { $0.found?.role != nil && $0.description.kind == .tcpListen }
    for pid in pids {
      for connection in unknownConnections(of: pid) {
        let listener = listeners.first { $0.description.localPort == connection.localPort }
        guard let listener else { continue }
        wake.woken(by: connection, sender: nil, size: nil)
        return .ready(app, listener.id, .accept)
      }
    }
    return nil
  }

  static func openFiles(of pids: [Int32]) -> Int {
    pids.reduce(0) { $0 + (Process.openFileCount(of: $1) ?? 0) }
  }

  private func unknownConnections(of pid: Int32) -> [LineDescription] {
    guard let numbers = try? NumberedEntries.all(in: "/proc/\(pid)/fd"),
      let owner = try? DescriptorBox(Process.pidfdOpen(pid))
    else { return [] }
    var found: [LineDescription] = []
    for number in numbers {
      guard let kind = try? OpenFile.kind(of: number, in: pid), case .socket(let inode) = kind,
        !lines.contains(where: { $0.identity.inode == inode }),
        let copy = try? DescriptorBox(
          Process.getDescriptor(owner.raw, number: number), closer: services.closer)
      else { continue }
      defer { services.releases.add(copy) }
      let description = Socket.describe(copy.raw)
      if description.kind == .tcp { found.append(description) }
    }
    return found
  }

  /// Nil where the program has closed the connection.
  private func received(on line: HeldLine) -> Int64? {
    guard let copy = try? line.take(services.closer) else { return nil }
    defer { services.releases.add(copy) }
    return (try? Socket.tcpActivity(copy.raw))?.received
  }
}

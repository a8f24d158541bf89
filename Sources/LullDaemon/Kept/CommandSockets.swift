import LullInspect
import LullSystem

/// The sockets of a command that knows nothing of Lull, as its next start gets them back.
struct CommandSockets {
  private static let maximumFiles = 4096

  let rules: CommandRules
  let closer: Closer
  let log: any FailureLog
  /// Also the sockets that mean nothing to the next start.
  var takesAll = false

  /// Each socket once, in the order of the processes and of their numbers.
  func copies(of pids: [Int32], atMost limit: Int) -> [LineCopy] {
    var copies: [LineCopy] = []
    var seen: Set<UInt64> = []
    for pid in pids {
      guard let process = log.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(pid))),
        let files = log.ignoring(
          [.gone, .tooMany], try Process.openFiles(of: pid, limit: Self.maximumFiles))
      else { continue }
      for file in files.sorted(by: { $0.number < $1.number }) {
        guard case .socket(let inode) = file.kind, seen.insert(inode).inserted,
          let copy = copy(file.number, of: process)
        else { continue }
        guard copies.count < limit else { return copies }
        copies.append(copy)
      }
    }
    return copies
  }

  private func copy(_ number: Int32, of process: DescriptorBox) -> LineCopy? {
    guard
      let descriptor = log.ignoring(
        .gone, DescriptorBox(try Process.getDescriptor(process.raw, number: number), closer: closer)),
      let identity = log.ignoring([], try FileIdentity.of(descriptor.raw))
    else { return nil }
    let description = Socket.describe(descriptor.raw)
    guard takesAll || (Self.keeps(description) && rules.watches(description)) else { return nil }
    return LineCopy(line: nil, descriptor: descriptor, identity: identity, description: description)
  }

  /// True for a socket that means something to the next start of a command: it belongs to a network, or
  /// connections arrive on it. A connected Unix socket belongs to a conversation with a process of the
  /// machine (D-Bus, a sound server), which the next start begins anew.
  static func keeps(_ description: LineDescription) -> Bool {
    switch description.kind {
    case .tcp: !description.peer.isEmpty
    case .udp, .tcpListen: true
    case .unix: description.isListening
    case .other, .set: false
    }
  }
}

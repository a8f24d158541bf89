import LullChannel
import LullSystem
import LullWire

struct LogFollower: ~Copyable {
  private let name: String
  private let watch: FileWatch
  private let keeper: KeeperConnection?

  init(_ name: String, _ path: String) throws(Failure) {
    let watch = try Self.watch(name, path)
    let keeper = try KeeperConnection(name)
    keeper?.send(.watch)
    (self.name, self.keeper) = (name, keeper)
    self.watch = watch
  }

  private static func watch(_ name: String, _ path: String) throws(Failure) -> FileWatch {
    do throws(SystemError) {
      let watch = try FileWatch()
      try watch.add(path, .written)
      if let slash = path.lastIndex(of: "/") { try watch.add(String(path[...slash]), .names) }
      return watch
    } catch {
      guard !error.isNoSuchFile else { throw DetachedPrograms.unknown(name) }
      throw .failed("\(path): cannot be watched (\(error.message))")
    }
  }

  mutating func follow(_ log: inout LogReader, _ plain: inout PlainText?) throws(Failure) {
    while true {
      let end = try keeper.map { (keeper) throws(Failure) in try keeper.end() } ?? KeeperEnd.hungUp
      let bytes = try more(of: &log)
      try Output.write((plain?.text(ofLog: bytes[...]) ?? bytes)[...])
      if let end {
        try Output.write((plain?.end() ?? [])[...])
        return tell(end)
      }
      try wait()
    }
  }

  private func more(of log: inout LogReader) throws(Failure) -> [UInt8] {
    let words = "\(log.path): cannot be read"
    try explained(words, brief: watch.drain())
    let bytes = try explained(words, brief: log.next())
    // The log may be a new file now, to which something was written meanwhile.
    try? watch.add(log.path, .written)
    return try bytes + explained(words, brief: log.next())
  }

  private func tell(_ end: KeeperEnd) {
    switch end {
    case .ended(let status): Output.complain("\(name) has ended (\(status.words))")
    case .refused(let message): Output.complain(message)
    case .hungUp: Output.complain("\(name) does not run")
    }
  }

  private func wait() throws(Failure) {
    var entries = [PollEntry(watch.raw, .readable)]
    if let keeper { entries.append(.init(keeper.channel.socket.raw, .readable)) }
    try explained("cannot wait for \(name)", Socket.pollMany(&entries, timeoutMilliseconds: -1))
  }
}

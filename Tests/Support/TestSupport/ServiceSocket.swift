package import LullSystem
import Testing

/// A service manager that a test plays: the socket of sd_notify(3), and what came there.
package final class ServiceSocket {
  /// A datagram, line by line.
  package struct News {
    package let lines: [String]
    package let descriptor: DescriptorBox?

    /// The value of `KEY=value`.
    package subscript(key: String) -> String? {
      lines.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.utf8.count + 1)) }
    }
  }

  /// The value of NOTIFY_SOCKET.
  package let name: String
  private let folder: TemporaryDirectory
  private let socket: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 65_536)

  package init() throws {
    folder = try TemporaryDirectory()
    name = "\(folder.path)/notify"
    socket = DescriptorBox(try UnixSocket.datagrams(at: name))
  }

  /// The variables for the service; `watchdog` is in microseconds. Those of the process that runs the tests
  /// count for that one alone.
  package func environment(watchdog: Int64? = nil) -> [String] {
    [
      "NOTIFY_SOCKET=\(name)", "SYSTEMD_EXEC_PID=", "WATCHDOG_PID=",
      "WATCHDOG_USEC=\(watchdog.map { "\($0)" } ?? "")",
    ]
  }

  /// The next news.
  package func next() throws -> News {
    try Deadline().wait(socket.raw, .readable, for: "news of the service")
    return try #require(try waiting(), "the news is gone")
  }

  /// News that has come; nil when there is none.
  package func waiting() throws -> News? {
    guard case .bytes(_, let descriptor) = try UnixSocket.receive(into: &buffer, from: socket.raw) else {
      return nil
    }
    let lines = String(decoding: buffer.received, as: UTF8.self).split(separator: "\n").map(String.init)
    return News(lines: lines, descriptor: descriptor)
  }

  /// The next news with this line; news before it is passed over.
  @discardableResult
  package func wait(for line: String) throws -> News {
    let deadline = Deadline()
    while true {
      let news = try next()
      if news.lines.contains(line) { return news }
      try #require(!deadline.isOver, "the service has not said \(line)")
    }
  }

  /// What the service has kept over its restart: each descriptor with its name, until it waits for the
  /// barrier, which is opened.
  package func kept() throws -> [(name: String, descriptor: DescriptorBox)] {
    var kept: [(name: String, descriptor: DescriptorBox)] = []
    while true {
      let news = try next()
      if news.lines.contains("BARRIER=1") { return kept }
      guard news.lines.contains("FDSTORE=1") else { continue }
      kept.append((try #require(news["FDNAME"]), try #require(news.descriptor)))
    }
  }
}

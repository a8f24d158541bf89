package import LullSystem

/// Messages of lulld and lull-guard to the terminal or log of their starter.
package enum StandardError {
  /// A terminal that was held (Ctrl-S) must not hold the process that writes.
  package static func say(_ text: String) {
    let ready = try? Socket.poll(StandardStreams.error, .writable, timeoutMilliseconds: 0)
    guard ready?.contains(.writable) == true else { return }
    try? StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.error)
  }
}

package struct StandardErrorLog: FailureLog {
  let process: String

  static var guardian: StandardErrorLog { StandardErrorLog(process: "lull-guard") }

  package init(process: String) { self.process = process }

  package func noteUnexpected(_ error: SystemError) {
    StandardError.say("\(process): unexpected: \(error)")
  }
}

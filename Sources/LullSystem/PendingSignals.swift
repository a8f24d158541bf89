extension Process {
  /// Whether a signal waits for a process that some thread of it will act on: one that is not ignored, and not
  /// blocked unless `takesBlocked`, as signalfd does. The corresponding C function is `read` of `/proc/PID/status`.
  public static func hasPendingSignal(_ pid: Int32, takesBlocked: Bool) throws(SystemError) -> Bool {
    let lines = try Files.read("/proc/\(pid)/status", limit: 1 << 16).split(separator: UInt8(ascii: "\n"))
    func mask(_ key: String) -> UInt64 {
      guard let line = lines.first(where: { $0.starts(with: key.utf8) }) else { return 0 }
      let digits = line.dropFirst(key.utf8.count).drop { $0 <= UInt8(ascii: " ") }
      return UInt64(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }
    let pending = mask("SigPnd:") | mask("ShdPnd:")
    guard pending != 0 else { return false }
    return pending & ~mask("SigIgn:") & (takesBlocked ? .max : ~mask("SigBlk:")) != 0
  }
}

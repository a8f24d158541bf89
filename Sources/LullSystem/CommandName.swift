extension Process {
  /// The name of the program that a process runs, at most 15 bytes of it. See proc(5), `/proc/PID/comm`.
  public static func commandName(of pid: Int32) throws(SystemError) -> String {
    let bytes = try Files.read("/proc/\(pid)/comm", limit: 64)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

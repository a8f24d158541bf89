import LullSystem

/// The line by which the log of a detached program marks the start of a life:
/// `--- started 2026-01-02 23:41:02, pid 4711 ---`.
enum LifeMark {
  private static let first = "--- started ", last = " ---"

  /// `unix` is in seconds since 1970.
  static func line(pid: Int32, at unix: Double) -> [UInt8] {
    let moment = LocalTime(unix: unix).description.prefix { $0 != "." }
    return Array("\(first)\(moment), pid \(pid)\(last)\n".utf8)
  }

  /// The time of a start in seconds since 1970; nil for any other line.
  static func moment(_ line: ArraySlice<UInt8>) -> Double? {
    guard line.starts(with: first.utf8) else { return nil }
    let words = String(decoding: line, as: UTF8.self).dropFirst(first.count).split(separator: " ")
    guard words.count > 1 else { return nil }
    return LocalTime(day: String(words[0]))?.at(String(words[1].prefix { $0 != "," }))?.unix
  }

  /// A log, cut at each start: what stands before the first one, and then each life with its line.
  static func parts(of log: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (parts, begin): ([ArraySlice<UInt8>], Int) = ([], log.startIndex)
    for line in log.split(separator: UInt8(ascii: "\n")) where moment(line) != nil {
      parts.append(log[begin..<line.startIndex])
      begin = line.startIndex
    }
    return parts + [log[begin...]]
  }

  /// The lives in a log that went on at a moment, in seconds since 1970, or began after it.
  static func lives(since unix: Double, in log: [UInt8]) -> ArraySlice<UInt8> {
    var begin = log.startIndex
    for line in log.split(separator: UInt8(ascii: "\n")) {
      if let moment = moment(line), moment <= unix { begin = line.startIndex }
    }
    return log[begin...]
  }
}

import LullChannel

/// Where keepers have their sockets, logs and records; those of logs and records are nil for a user without a
/// home.
enum KeeperFolders {
  static var state: String? { StateDirectory.path() }
  static var logs: String? { state.map { $0 + "/logs" } }
  static var records: String? { ProgramRecords.folder() }

  static func socket(of name: String) -> String { "\(RuntimeDirectory.keepers())/\(name)" }
  static func log(of name: String) -> String? { logs.map { "\($0)/\(name).log" } }
  static func record(of name: String) -> String? { records.map { "\($0)/\(name)" } }

  /// The file that has the output of a program: that of its `--output`, or its log; nil for a user without a
  /// home.
  static func output(of name: String) -> String? {
    guard let log = log(of: name), let record = record(of: name) else { return nil }
    // The record of an installed program is its file, also where another record has that name.
    if let file = try? InstalledFolder.ofThisUser?.file(name) {
      return file.values(of: "--output").last ?? log
    }
    return (try? ProgramRecord.load(record))?.output.map { String(decoding: $0, as: UTF8.self) } ?? log
  }

  /// The last lines of its last life in that file, without escape sequences.
  static func lastLines(_ count: Int, of name: String) -> [String] {
    guard let path = output(of: name) else { return [] }
    let log = ProgramLog(appendingTo: Array(path.utf8)).tail(4096)
    let text = String(decoding: PlainText.text(LifeMark.parts(of: log).last ?? log), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).suffix(count).map { String($0) }
  }
}

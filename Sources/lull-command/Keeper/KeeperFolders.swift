import LullChannel

struct KeeperFolders {
  let sockets: String
  /// The folder of logs and records; nil, as the two that follow, for a user without a home.
  let state: String?
  let logs: String?
  let records: String?

  static var ofThisUser: KeeperFolders {
    let state = StateDirectory.path()
    return .init(
      sockets: RuntimeDirectory.keepers(), state: state,
      logs: state.map { $0 + "/logs" },
      records: ProgramRecords.folder())
  }

  func socket(of name: String) -> String { "\(sockets)/\(name)" }
  func log(of name: String) -> String? { logs.map { "\($0)/\(name).log" } }
  func record(of name: String) -> String? { records.map { "\($0)/\(name)" } }

  /// The file that has the output of a program: that of its `--output`, or its log; nil for a user without a
  /// home.
  func output(of name: String) -> String? {
    guard let log = log(of: name), let record = record(of: name) else { return nil }
    // The record of an installed program is its file, also where another record has that name.
    if let file = try? InstalledFolder.ofThisUser?.file(name) {
      return file.values(of: "--output").last ?? log
    }
    return (try? ProgramRecord.load(record))?.output.map { String(decoding: $0, as: UTF8.self) } ?? log
  }

  /// The last lines of its last life in that file, without escape sequences.
  func lastLines(_ count: Int, of name: String) -> [String] {
    guard let path = output(of: name) else { return [] }
    let log = ProgramLog(appendingTo: Array(path.utf8)).tail(4096)
    let text = String(decoding: PlainText.text(LifeMark.parts(of: log).last ?? log), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).suffix(count).map { String($0) }
  }
}

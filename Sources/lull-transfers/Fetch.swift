import LullSystem
import LullTransfers

/// The process that works for a transfer: it asks the server for the head, then another one is aria2.
final class Fetch {
  enum State {
    case asking
    case fetching
    /// Its end says nothing about the transfer.
    case stopping
  }

  private(set) var state: State
  private(set) var isHung = false
  private let pidfd: DescriptorBox
  private let output: String
  /// The bytes at the last look at the transfer, and the moment of it (CLOCK_BOOTTIME, in nanoseconds).
  private var seen: (bytes: Int64, at: Int64)

  /// `output` is the path for what the process writes; `lock` outlives this program as long as the process
  /// lives.
  private init(
    _ state: State, _ words: [String], for transfer: Transfer, output: String, lock: Int32
  ) throws(SystemError) {
    let file = try Files.create(output)
    let null = try Files.openNull()
    var request = SpawnRequest(words)
    request.environment = request.environment.filter { !$0.starts(with: "LC_ALL=".utf8) }
    request.environment.append(Array("LC_ALL=C".utf8))
    (request.standardInput, request.standardOutput, request.standardError) = (null.raw, file.raw, file.raw)
    request.passed = [.init(lock, as: 3)]
    let child = try Process.spawn(request)
    pidfd = child.boxes().pidfd
    (self.state, self.output, seen) = (state, output, (transfer.receivedBytes, Clock.boottime()))
  }

  static func asking(_ transfer: Transfer, output: String, lock: Int32) throws(SystemError) -> Fetch {
    let own = try Process.executablePath()
    return try Fetch(.asking, [own, "--head", transfer.url], for: transfer, output: output, lock: lock)
  }

  /// `asksAgain`: the server answers HEAD. aria2 would otherwise begin the whole file to learn its length.
  static func fetching(
    _ transfer: Transfer, asksAgain: Bool, output: String, lock: Int32
  ) throws(SystemError) -> Fetch {
    // Without its own notes aria2 goes on at the end of the file: with them it would lose up to 1 MiB.
    try? Files.unlink(transfer.partialPath + ".aria2")
    let path = transfer.partialPath
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    var words = [
      "aria2c", "--no-conf", "--no-netrc", "--dir=\(path[...slash])",
      "--out=\(path[path.index(after: slash)...])", "--continue=true", "--auto-file-renaming=false",
      "--file-allocation=none", "--disk-cache=0", "--split=1", "--max-connection-per-server=1",
      // Each try asks for the head first, and this program chooses its time.
      "--max-tries=1", "--connect-timeout=30", "--timeout=60", "--follow-torrent=false",
      "--follow-metalink=false", "--stop-with-process=\(Identity.pid())", "--use-head=\(asksAgain)",
      "--console-log-level=error", "--summary-interval=0", "--show-console-readout=false",
      "--download-result=hide", "--enable-color=false",
    ]
    if let validator = transfer.validator { words.append("--header=\(validator)") }
    if let checksum = transfer.checksum { words.append("--checksum=\(checksum)") }
    words += ["--", transfer.url]
    return try Fetch(.fetching, words, for: transfer, output: output, lock: lock)
  }

  var entry: PollEntry { PollEntry(pidfd.raw, .readable) }

  /// Nil while the process runs.
  func end() -> (status: ExitStatus, output: String)? {
    guard let status = try? Process.waitStatus(pidfd.raw) else { return nil }
    let bytes = (try? Files.read(output, limit: 1 << 20)) ?? []
    return (status, String(decoding: bytes, as: UTF8.self))
  }

  /// aria2 writes what it has when it is asked to end.
  func stop() {
    guard state != .stopping else { return }
    state = .stopping
    try? Process.sendSignal(pidfd.raw, Signal.terminate)
  }

  /// For a process that does not do what it should.
  func kill() { try? Process.sendSignal(pidfd.raw, Signal.kill) }

  /// The moment at which it hangs unless bytes come.
  func deadline(patience: Int64) -> Int64 { seen.at + patience }

  /// True when no byte has come for `patience` nanoseconds.
  func hangs(_ transfer: Transfer, patience: Int64) -> Bool {
    let now = Clock.boottime()
    guard now >= deadline(patience: patience) else { return false }
    let before = seen.bytes
    seen = (transfer.receivedBytes, now)
    isHung = seen.bytes == before
    return isHung
  }
}

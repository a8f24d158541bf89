import LullSystem

/// The trial of the programs of an upgrade: the new lull-guard says whether it, and the lulld beside it, can
/// take over.
struct UpgradeTrial {
  /// The outcome of a trial: the version of the new programs, or why they cannot be used.
  enum Verdict {
    case fit(version: String)
    case unfit(String)
  }

  private static let greeting = "lull "

  let process: HelperProcess
  /// The moment at which the trial has taken too long, on CLOCK_BOOTTIME; nil once it is ended for that.
  private(set) var until: Int64?
  private let output: DescriptorBox

  /// Starts the lull-guard of a folder. Throws why it cannot be executed.
  init(in folder: String, openFileLimit: Int?, until: Int64) throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    let nothing = try Files.openNull()
    var request = SpawnRequest([
      "\(folder)/\(DaemonOptions.guardName)", "--takes-over", "\(DaemonOptions.handoverForm)",
    ])
    (request.standardInput, request.standardOutput) = (nothing.raw, other.raw)
    request.standardError = other.raw
    request.group = .newSession
    request.openFileLimit = openFileLimit
    process = try HelperProcess.launch(request)
    (output, self.until) = (own, until)
  }

  /// Ends a trial that takes too long, with what it has started in its session.
  mutating func kill() throws(SystemError) {
    until = nil
    try Process.kill(group: process.pid, Signal.kill)
  }

  /// The verdict, once the process has ended.
  func verdict() throws(SystemError) -> Verdict {
    let status = try Process.waitStatus(process.pidfd.raw)
    let line = try lastLine()
    guard status == .exited(0), line.hasPrefix(Self.greeting) else {
      return .unfit(line.isEmpty ? "it ended without a word" : line)
    }
    return .fit(version: String(line.dropFirst(Self.greeting.count)))
  }

  private func lastLine() throws(SystemError) -> String {
    var buffer = ReceiveBuffer(capacity: 4096)
    var bytes: [UInt8] = []
    while case .bytes = try Socket.read(output.raw, into: &buffer), bytes.count < 1 << 16 {
      bytes += buffer.received
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.last.map { String($0) } ?? ""
  }
}

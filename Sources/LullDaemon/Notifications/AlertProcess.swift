import LullChannel
import LullEngine
import LullGuard
import LullSystem

/// A `lull-player alert`: it plays one sound and ends. What it writes to standard error goes to the journal.
final class AlertProcess {
  /// The most text lines that one process can put into the journal, and the most bytes of each.
  private static let maximumLines = 4, maximumBytes = 400

  private static var chosenDevice: String? { Identity.setting("LULL_ALERT_DEVICE") }

  let process: HelperProcess
  private let complaints: DescriptorBox
  private var endWatch: Slot?
  private var complaintWatch: Slot?
  private var linesLeft = AlertProcess.maximumLines

  init(_ process: HelperProcess, complaints: DescriptorBox) {
    (self.process, self.complaints) = (process, complaints)
  }

  static func launch(_ alert: Alert, openFileLimit: Int?) throws(SystemError) -> AlertProcess {
    let (reading, writing) = try Pipe.open()
    try Descriptor.stopBlocking(reading.raw)
    var arguments = [try Process.sibling("lull-player"), "alert"]
    if alert.isCall { arguments.append("--call") }
    if let device = chosenDevice { arguments += ["--device", device] }
    var request = SpawnRequest(arguments + ["--", alert.sound.word])
    request.standardError = writing.raw
    request.group = .newSession
    request.openFileLimit = openFileLimit
    return AlertProcess(try HelperProcess.spawn(request).process, complaints: reading)
  }

  func watch(in reactor: DaemonReactor) throws(SystemError) {
    endWatch = try reactor.add(process.pidfd.raw, .readable, as: .alert)
    complaintWatch = try reactor.add(complaints.raw, .readable, as: .alert)
  }

  func close(in reactor: DaemonReactor) {
    if let endWatch { reactor.remove(endWatch) }
    unwatchComplaints(in: reactor)
    complaints.close()
  }

  private func unwatchComplaints(in reactor: DaemonReactor) {
    if let watch = complaintWatch.take() { reactor.remove(watch) }
  }

  func takeComplaints(
    _ buffer: inout ReceiveBuffer, in reactor: DaemonReactor, _ journal: Journal
  ) -> [String] {
    switch journal.ignoring([], try StandardStreams.read(complaints.raw, into: &buffer)) {
    case .bytes:
      let lines = buffer.received.split(separator: UInt8(ascii: "\n")).prefix(linesLeft)
      linesLeft -= lines.count
      return lines.map { String(decoding: $0.prefix(Self.maximumBytes), as: UTF8.self) }
    case .endOfStream:
      // A closed pipe stays readable.
      unwatchComplaints(in: reactor)
      return []
    case .wouldBlock, nil: return []
    }
  }

  func status(_ journal: Journal) -> ExitStatus? {
    journal.ignoring(.ended, try Process.waitStatus(process.pidfd.raw)) ?? nil
  }
}

import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// sipp as the caller: one call, hung up after a while.
final class Sipp {
  enum Transport: String, CaseIterable {
    case udp = "u1"
    case tcp = "t1"
  }

  private let child: ConnectedChild
  private let statistics: String

  init(
    _ stage: Stage, _ baresip: Baresip, transport: Transport, milliseconds: Int = 300, sound: Bool = false
  ) throws {
    try Executables.require("sipp", package: "sip-tester")
    let port = try stage.network.freePort()
    statistics = "\(stage.lull.sandbox.directory)/sipp-\(port).csv"
    let echo = sound ? ["-rtp_echo"] : []
    child = try ConnectedChild(
      stage.network.prefix + [
        "sipp", baresip.address, "-i", "127.0.0.1", "-p", "\(port)", "-sn", "uac", "-s", "alice", "-m", "1",
        "-d", "\(milliseconds)", "-t", transport.rawValue, "-timeout", "15s", "-nostdin",
        "-trace_stat", "-stf", statistics, "-fd", "1",
      ] + echo,
      environment: ["TERM=dumb"])
  }

  /// Waits for the end of the call; it must have been answered.
  func waitForAnswer() throws {
    _ = try child.output.untilEnd()
    let errors = try child.errors.untilEnd()
    try #require(try child.end() == .exited(0), "the call was not answered: \(errors)")
  }

  /// The number of messages that sipp sent again because no answer came in time.
  func retransmissions() throws -> Int {
    let rows = try Kernel.text(statistics).split(separator: "\n").map {
      $0.split(separator: ";", omittingEmptySubsequences: false)
    }
    let column = try #require(rows.first?.firstIndex(of: "Retransmissions(C)"), "no statistics of sipp")
    let last = try #require(rows.last)
    return try #require(Int(last[column]))
  }
}

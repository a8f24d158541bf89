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
    _ stage: Stage, _ baresip: Baresip, transport: Transport, milliseconds: Int = 300, sound: Bool = false,
    givesUp: Bool = false
  ) throws {
    try Executables.require("sipp", package: "sip-tester")
    let port = try stage.network.freePort()
    statistics = "\(stage.lull.sandbox.directory)/sipp-\(port).csv"
    let scenario = "\(stage.lull.sandbox.directory)/give-up.xml"
    if givesUp { try Kernel.write(Self.givingUp, to: scenario) }
    let echo = sound ? ["-rtp_echo"] : []
    child = try ConnectedChild(
      stage.network.prefix + [
        "sipp", baresip.address, "-i", "127.0.0.1", "-p", "\(port)", "-s", "alice", "-m", "1",
        "-d", "\(milliseconds)", "-t", transport.rawValue, "-timeout", "15s", "-nostdin",
        "-trace_stat", "-stf", statistics, "-fd", "1",
      ] + echo + (givesUp ? ["-sf", scenario] : ["-sn", "uac"]),
      environment: ["TERM=dumb"])
  }

  /// A caller who hangs up when it has rung for the time of the call.
  private static let givingUp = """
    <?xml version="1.0" encoding="ISO-8859-1"?>
    <scenario name="give up">
      <send retrans="500"><![CDATA[
        INVITE \(address) SIP/2.0
        Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
        \(dialogue)
        CSeq: 1 INVITE
        Contact: sip:sipp@[local_ip]:[local_port]
        Content-Type: application/sdp
        Content-Length: [len]

        v=0
        o=user1 1 1 IN IP4 [local_ip]
        s=-
        c=IN IP4 [media_ip]
        t=0 0
        m=audio [media_port] RTP/AVP 0
      ]]></send>
      <recv response="100" optional="true"/>
      <recv response="180"/>
      <pause/>
      <send retrans="500"><![CDATA[
        CANCEL \(address) SIP/2.0
        [last_Via:]
        \(dialogue)
        CSeq: 1 CANCEL
        Content-Length: 0
      ]]></send>
      <recv response="200"/>
      <recv response="487"/>
      <send><![CDATA[
        ACK \(address) SIP/2.0
        [last_Via:]
        \(dialogue)
        CSeq: 1 ACK
        Content-Length: 0
      ]]></send>
    </scenario>
    """
  private static let address = "sip:[service]@[remote_ip]:[remote_port]"
  private static let dialogue = """
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[call_number]
            To: <\(address)>
            Call-ID: [call_id]
            Max-Forwards: 70
    """

  /// Waits for the end of the call; it must have been answered.
  func waitForAnswer() throws {
    _ = try child.output.untilEnd()
    let errors = try child.errors.untilEnd()
    try #require(try child.end() == .exited(0), "the call was not answered: \(errors)")
  }

  /// Waits for the end of the call, however it ended.
  func end() throws -> ExitStatus {
    _ = try child.output.untilEnd()
    return try child.end()
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

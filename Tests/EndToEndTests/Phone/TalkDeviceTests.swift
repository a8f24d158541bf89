import LullSystem
import LullWire
import TestSupport
import Testing

/// A phone that talks on another device than the usual one.
@Suite(.bounded) struct TalkDeviceTests {
  @Test func `it talks in the headset`() throws {
    let (stage, netcat) = (try AudioStage(), try Netcat())
    let headset = try stage.sink.plugHeadset()
    let phone = try stage.lull.startPhone(netcat, "--talk-device", "headset")
    #expect(try netcat.line.line() == "ping")
    try stage.journal.waitForSleep(of: "phone")
    let ear = DescriptorBox(try Socket.bindDatagram(.loopback()))
    try netcat.line.send("notify \(Socket.localAddress(ear.raw))\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    #expect(try stage.lull.run("answer", "1", "Answer").status == .exited(0))
    #expect(try netcat.line.line().hasPrefix("answer 127.0.0.1:"))
    for direction in ["play", "capture"] {
      _ = try stage.session(of: "phone") {
        $0[.direction] == direction && $0[.state] == "running" && $0[.device] == "headset"
      }
    }
    let sessions = try stage.lull.order("status name=phone").all(.session)
    #expect(sessions.count == 2, "\(sessions)")
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0.hasPrefix("Call ended: ") }
    #expect(try headset.isAlive)
  }
}

import LullChannel
import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct WakeTests {
  /// A stream to a server of the test; it finishes after every event.
  private func open(_ it: Managed, _ server: borrowing Server) throws -> (VoIPStream, DescriptorBox) {
    let recorder = it.recorder
    let stream = try VoIPStream(
      host: "127.0.0.1", port: server.port, application: it.application, offload: .line
    ) { stream, event in
      recorder.note("\(event)", stream.owner)
      if event == .hasBytesAvailable {
        recorder.events.append(String(decoding: stream.read(), as: UTF8.self))
      }
      stream.owner.finishedHandlingWake()
    }
    let peer = try server.accept()
    let daemon = it.daemon
    try it.until { daemon.requests.last?.hasPrefix("done") == true }
    recorder.events.removeAll()
    return (stream, peer)
  }

  @Test func `An open stream is held, and the launch's ticket is done when the program has finished`() throws
  {
    let it = try Managed()
    let (stream, _) = try open(it, try Server())
    let requests = it.daemon.requests
    #expect(requests.count == 2)
    #expect(requests.first?.hasSuffix("type=voip offload=line") == true)
    #expect(requests.last == "done ticket=3")
    #expect(stream.status == .open)
  }

  @Test func `What is finished before the daemon's notice arrives is done when it does`() throws {
    let it = try Managed()
    let (_, peer) = try open(it, try Server())
    it.daemon.forget()
    #expect(try Socket.write(peer.raw, Array("ping\n".utf8)) == .sent(5))
    let recorder = it.recorder
    try it.until { recorder.events == ["hasBytesAvailable", "ping\n"] }
    #expect(it.daemon.requests.isEmpty)
    try it.daemon.send("event wake ticket=9 reason=data line=4 waitedMicroseconds=12")
    #expect(try it.requests(1) == ["done ticket=9"])
    #expect(it.application.wakeReason == .data)
  }

  /// The race: every thread waits while an event is on its way to a task, and the program could be frozen.
  @Test func `An event that a handler gives away after the done is told, and done anew`() throws {
    let it = try Managed()
    let application = it.application
    let server = try Server()
    var (isOpen, text) = (false, "")
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: application) {
      stream, event in
      guard event == .hasBytesAvailable else {
        isOpen = true
        return application.finishedHandlingWake()
      }
      text += String(decoding: stream.read(), as: UTF8.self)
    }
    let (peer, daemon) = (try server.accept(), it.daemon)
    try it.until { isOpen && daemon.requests.last == "done ticket=3" }
    daemon.forget()
    #expect(try Socket.write(peer.raw, Array("ping\n".utf8)) == .sent(5))
    #expect(try it.requests(1) == ["handling ticket=3"])
    #expect(text == "ping\n")
    // One that is told already is not told again.
    #expect(try Socket.write(peer.raw, Array("more\n".utf8)) == .sent(5))
    try it.until { text == "ping\nmore\n" }
    application.finishedHandlingWake()
    #expect(try it.requests(2) == ["handling ticket=3", "done ticket=3"])
    stream.close()
  }

  @Test func `An event in the same turn takes the word back until it is handled`() throws {
    let it = try Managed()
    let (_, peer) = try open(it, try Server())
    let daemon = it.daemon
    daemon.forget()
    // Both are ready before the loop polls: the keep-alive finishes first, the bytes last.
    it.application.setKeepAliveTimeout(600) { [application = it.application] in
      application.finishedHandlingWake()
    }
    it.recorder.on["hasBytesAvailable"] = { _ in #expect(!daemon.requests.contains("done ticket=9")) }
    #expect(try Socket.write(peer.raw, Array("ping\n".utf8)) == .sent(5))
    try daemon.send("event wake ticket=9 reason=keepalive", "event keepalive ticket=9")
    #expect(try it.requests(2).last == "done ticket=9")
    #expect(it.recorder.events == ["hasBytesAvailable", "ping\n", "didWake keepalive"])
  }

  @Test func `Bytes are handled before the notice of the wake that they made`() throws {
    let it = try Managed()
    let (_, peer) = try open(it, try Server())
    it.daemon.forget()
    #expect(try Socket.write(peer.raw, Array("ping\n".utf8)) == .sent(5))
    try it.daemon.send("event wake ticket=9 reason=data line=4 waitedMicroseconds=12")
    #expect(try it.requests(1) == ["done ticket=9"])
    #expect(it.recorder.events == ["hasBytesAvailable", "ping\n", "didWake data"])
  }

  @Test func `The launch comes before the events of a stream that was opened before it`() throws {
    let it = try Managed(launched: false)
    let server = try Server()
    let recorder = it.recorder
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: it.application) {
      recorder.note("\($1)", $0.owner)
    }
    let peer = try server.accept()
    try it.daemon.send("event deliver message=didFinishLaunching ticket=2")
    it.application.dispatch()
    #expect(recorder.events == ["didFinishLaunching", "openCompleted", "hasSpaceAvailable"])
    withExtendedLifetime((stream, peer)) {}
  }

  @Test func `A keep-alive that was cleared meanwhile is done at once`() throws {
    let it = try Managed()
    try it.daemon.send("event wake ticket=9 reason=keepalive", "event keepalive ticket=9")
    #expect(try it.requests(1) == ["done ticket=9"])
  }

  @Test func `A wake that the program does not finish is not done`() throws {
    let it = try Managed()
    try it.daemon.send("event wake ticket=9 reason=operator")
    try it.daemon.send("event deliver message=willEnterForeground ticket=10")
    #expect(try it.requests(1) == ["did ticket=10"])
  }

  @Test func `The user's choice and an expiration reach their handlers`() throws {
    let it = try Managed()
    let recorder = it.recorder
    let token = try it.application.present(LocalNotification(body: "call", action: "Answer"))
    let number = try #require(it.application.notifications.id(of: token)).number
    let task = try it.application.beginBackgroundTask(named: "x") { recorder.events.append("expired") }
    let id = try #require(it.application.tasks.first { $0.task == task }?.id).number
    try it.daemon.send(
      "event wake ticket=9 reason=notification",
      "event action ticket=10 notification=\(number) action=Answer token=T",
      "event expire task=\(id)", "event received notification=77 body=tea")
    try it.until { recorder.events.count == 4 }
    #expect(recorder.events == ["didWake notification", "didChoose Answer (T)", "expired", "didReceive tea"])
    #expect(recorder.tokens == [token] && it.application.activationToken == nil)
  }

  @Test func `The word that the action is handled answers the action's ticket, not only the wake's`() throws {
    let it = try Managed()
    let recorder = it.recorder
    let token = try it.application.present(LocalNotification(body: "call", action: "Answer"))
    let number = try #require(it.application.notifications.id(of: token)).number
    try it.daemon.send(
      "event wake ticket=9 reason=notification",
      "event action ticket=10 notification=\(number) action=Answer")
    try it.until { recorder.events.count == 2 }
    it.application.finishedHandlingWake()
    #expect(try it.requests(2).last == "done ticket=10")
  }

  @Test func `Lengths beyond all bounds are brought to them`() throws {
    let it = try Managed()
    let content = LocalNotification(body: "tea")
    _ = try it.application.schedule(content, after: .infinity, repeats: .infinity)
    _ = try it.application.schedule(content, atUnixTime: .infinity)
    #expect(it.application.setKeepAliveTimeout(.infinity) {})
    #expect(
      try it.requests(3) == [
        "schedule body=tea in=3153600000 repeat=3153600000", "schedule body=tea at=9223372036",
        "keepalive timeout=3153600000",
      ])
  }

  @Test func `A program that is told to terminate returns from its loop`() throws {
    let it = try Managed()
    try it.daemon.send("event deliver message=willTerminate ticket=9")
    it.application.run()
    #expect(it.recorder.events == ["willTerminate"])
    let daemon = it.daemon
    try it.until { daemon.requests == ["did ticket=9"] }
  }
}

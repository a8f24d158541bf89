import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct RestartTests {
  fileprivate static let register =
    "register name=phone modes=voip,external-accessory launch=background profile=ios4 resume=background"

  @Test func `A new daemon is told everything that the old one knew`() throws {
    let it = try Managed()
    let application = it.application
    let (first, _) = try UnixSocket.pair()
    let (second, _) = try UnixSocket.pair()
    _ = try application.hold(first.raw)
    let line = try application.hold(second.raw, as: .accessory, offload: .crlf)
    let released = try application.hold(first.raw)
    released.release()
    let before = LullSystem.Clock.boottime()
    application.setKeepAliveTimeout(600) {}
    let after = LullSystem.Clock.boottime()
    let task = try application.beginBackgroundTask(named: "upload") {}
    let ended = try application.beginBackgroundTask(named: "ended") {}
    application.endBackgroundTask(ended)
    try application.present(LocalNotification(body: "shown"))
    try application.schedule(LocalNotification(body: "tea"), atUnixTime: 2_000_000_000)

    let told = try it.restarted(7)
    let since = try #require(told.compactMap { $0.fields["since"].flatMap(Int64.init) }.first)
    #expect((before...after).contains(since))
    #expect(
      told == [
        RestartTests.register, "hold fd=\(first.raw) type=voip",
        "hold fd=\(second.raw) type=accessory offload=crlf", "keepalive timeout=600 since=\(since)",
        "begin-task name=upload", "scheduled all", "schedule body=tea at=2000000000",
      ])
    it.daemon.forget()
    let (lineID, taskID) = (try #require(line.id), try #require(application.tasks.first?.id))
    line.release()
    application.endBackgroundTask(task)
    #expect(
      try it.requests(2) == ["release line=\(lineID.number)", "end-task task=\(taskID.number)"])
  }

  @Test func `The time of the last keep-alive is told, so that the gap is kept`() throws {
    let it = try Managed()
    let application = it.application
    application.setKeepAliveTimeout(600) { [application] in application.finishedHandlingWake() }
    let before = LullSystem.Clock.boottime()
    try it.daemon.send("event wake ticket=4 reason=keepalive", "event keepalive ticket=4")
    let daemon = it.daemon
    try it.until { daemon.requests.last == "done ticket=4" }
    let after = LullSystem.Clock.boottime()
    let keepAlive = try #require(try it.restarted(2).last)
    let lastRun = try #require(keepAlive.fields["lastRun"].flatMap(Int64.init))
    #expect((before...after).contains(lastRun))
  }

  @Test func `What was finished before the break answers the new daemon's wake`() throws {
    let it = try Managed()
    it.application.finishedHandlingWake()
    #expect(try it.requests(1) == ["done ticket=3"])
    it.application.finishedHandlingWake()
    _ = try it.restarted(1)
    try it.daemon.send("event wake ticket=1 reason=unfrozen")
    #expect(try it.requests(2) == [RestartTests.register, "done ticket=1"])
  }

  @Test func `What is declared while the daemon is away is told to the next one`() throws {
    let it = try Managed()
    let application = it.application
    let (ours, _) = try UnixSocket.pair()
    it.daemon.hangUp()
    let daemon = it.daemon
    try it.until { !application.link.isUp }
    daemon.forget()
    let line = try application.hold(ours.raw)
    _ = try application.beginBackgroundTask(named: "upload") {}
    #expect(application.backgroundTimeRemaining == .infinity)
    #expect(application.setKeepAliveTimeout(600) {})
    try application.present(LocalNotification(body: "call"))
    application.requestForeground()
    #expect(line.isHeld)
    let since = try #require(application.keepAlive?.since.nanoseconds)
    #expect(
      try it.requests(6) == [
        RestartTests.register, "hold fd=\(ours.raw) type=voip", "keepalive timeout=600 since=\(since)",
        "begin-task name=upload", "present body=call", "foreground",
      ])
  }

  @Test func `A break in the middle of a call does not lose what was declared`() throws {
    let it = try Managed()
    let daemon = it.daemon
    daemon.answer { $0.hasPrefix("hold") ? FakeDaemon.death : nil }
    let (ours, _) = try UnixSocket.pair()
    let line = try it.application.hold(ours.raw)
    #expect(line.isHeld)
    #expect(line.id == nil)
    daemon.answer { _ in nil }
    try it.until { line.id != nil }
  }

  @Test func `A line that the new daemon refuses is lost, and told`() throws {
    let it = try Managed()
    let (ours, _) = try UnixSocket.pair()
    let line = try it.application.hold(ours.raw)
    it.daemon.answer {
      $0.hasPrefix("hold") ? "error code=too-many-lines message=\"at most 1 line\"" : nil
    }
    _ = try it.restarted(2)
    let recorder = it.recorder
    try it.until { !recorder.events.isEmpty }
    #expect(recorder.events == ["didLose at most 1 line"])
    #expect(!line.isHeld)
    line.release()
  }

  @Test func `A name that is still taken is asked for again`() throws {
    let it = try Managed()
    let daemon = it.daemon
    daemon.answer { _ in "error code=name-in-use message=\"taken\"" }
    #expect(try it.restarted(3) == Array(repeating: RestartTests.register, count: 3))
    daemon.answer { _ in nil }
    try it.until { [application = it.application] in application.link.isUp }
  }

  @Test func `A program in the foreground goes on there, and a transition that broke off is undone`() throws {
    let it = try Managed(launch: .foreground, launched: false)
    try it.daemon.send(
      "event deliver message=didFinishLaunching ticket=2", "event deliver message=didBecomeActive ticket=3",
      "event deliver message=willResignActive ticket=4")
    let daemon = it.daemon
    try it.until { daemon.requests.last == "did ticket=4" }
    #expect(
      try it.restarted(1) == [
        "register name=phone modes=voip,external-accessory launch=foreground profile=ios4 resume=active"
      ])
    let recorder = it.recorder
    try it.until { recorder.events.last == "didBecomeActive active" }
  }

  @Test func `A stream does not notice the daemon's end`() throws {
    let it = try Managed()
    let server = try Server()
    var events: [VoIPStream.Event] = []
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: it.application) {
      events.append($1)
    }
    let peer = try server.accept()
    let daemon = it.daemon
    try it.until { stream.status == .open }
    events.removeAll()
    _ = try it.restarted(2)
    #expect(daemon.requests.last?.hasPrefix("hold fd=") == true)
    #expect(events.isEmpty)
    stream.write("still here\n")
    #expect(try read(peer, count: 11) == Array("still here\n".utf8))
  }

  @Test func `A daemon that reads nothing holds nobody up, and is given up in time`() throws {
    let (gate, key) = try UnixSocket.pair()
    let closed = gate.raw
    let it = try Managed(patience: .seconds(2)) { request in
      if request == "background" { _ = try? Socket.poll(closed, .readable, timeoutMilliseconds: 20_000) }
      return nil
    }
    let link = it.application.link
    // The bytes are more than a socket takes, and fewer than may wait.
    for _ in 0..<50_000 { link.tell(.background(name: nil)) }
    #expect(link.isUp)
    try it.until { !link.isUp }
    #expect(try Socket.write(key.raw, [1]) == .sent(1))
    try it.until { link.isUp }
    withExtendedLifetime(gate) {}
  }

  @Test func `A daemon that writes what is no message is given up`() throws {
    let it = try Managed()
    it.daemon.forget()
    try it.daemon.send("HTTP/1.1 400 Bad Request")
    #expect(try it.requests(1) == [RestartTests.register])
  }
}

@Suite(.bounded) struct NotificationListTests {
  @Test func `What was shown before the break is not shown again`() throws {
    let it = try Managed()
    let past = it.application.clock() - .seconds(10)
    var list = NotificationList()
    let link = it.application.link
    for (number, due) in [NotificationList.Due.now, .moment(past), .wall(1)].enumerated() {
      list.insert(
        NotificationList.Entry(
          token: NotificationToken(number: UInt64(number)), content: LocalNotification(body: "tea"),
          repeats: nil, due: due, id: NotificationID(5)))
    }
    try list.declareAnew(
      to: link, now: it.application.clock(), wallOffset: it.application.wallOffset,
      lost: past + .seconds(1))
    #expect(it.daemon.requests.isEmpty)
  }

  @Test func `What fell due while the daemon was away is shown at once, and a repeating one goes on`() throws
  {
    let it = try Managed()
    let now = it.application.clock()
    var list = NotificationList()
    list.insert(
      NotificationList.Entry(
        token: NotificationToken(number: 1), content: LocalNotification(body: "tea"), repeats: nil,
        due: .moment(now - .seconds(1)), id: NotificationID(5)))
    list.insert(
      NotificationList.Entry(
        token: NotificationToken(number: 2), content: LocalNotification(body: "cake"),
        repeats: .every(.seconds(60)), due: .moment(now - .seconds(90)), id: NotificationID(6)))
    try list.declareAnew(
      to: it.application.link, now: now, wallOffset: it.application.wallOffset, lost: now - .seconds(2))
    #expect(
      it.daemon.requests == [
        "scheduled all", "schedule body=tea in=0", "schedule body=cake in=30 repeat=60",
      ])
  }

  @Test func `What the new daemon has kept is not declared anew`() throws {
    let it = try Managed()
    let tea = try it.application.schedule(LocalNotification(body: "tea"), after: 1000)
    let number = try #require(it.application.notifications.id(of: tea)).number
    it.daemon.answer { request in
      guard request.hasPrefix("scheduled") else { return nil }
      let item = "item kind=notification program=p state=scheduled at=4000000000"
      return "\(item) notification=\(number) body=tea\n"
        + "\(item) notification=99 body=old repeat=day zone=Europe/Berlin\nok count=2"
    }
    #expect(try it.restarted(2) == [RestartTests.register, "scheduled all"])
    let waiting = try it.application.scheduledNotifications()
    #expect(waiting.map(\.notification.body) == ["tea", "old"])
    #expect(waiting.map(\.unixTime) == [4_000_000_000, 4_000_000_000])
    #expect(waiting[1].repeats == .calendar(.day, zone: "Europe/Berlin"))
    #expect(waiting[0].token == tea)
    it.application.cancel(waiting[1].token)
    #expect(it.daemon.requests.last == "cancel notification=99")
  }

  @Test func `One that takes the place of another keeps its token`() throws {
    let it = try Managed()
    let call = try it.application.present(LocalNotification(body: "New VOIP call", isCall: true))
    let number = try #require(it.application.notifications.id(of: call)).number
    let missed = try it.application.present(LocalNotification(body: "Missed call"), replacing: call)
    #expect(missed == call)
    #expect(it.daemon.requests.last == "present body=\"Missed call\" replaces=\(number)")
  }
}

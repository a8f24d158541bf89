import LullChannel
import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct DaemonLinkTests {
  @Test func `The first request registers the program with everything it declared`() throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    var registration = Registration(name: "phone", modes: [.voip, .audio])
    registration.launch = .background
    registration.settings.exitsOnSuspend = true
    registration.profile = .ios7
    var setup = ApplicationSetup()
    setup.controlSocket = daemon.path
    let application = try Application(
      registration, host: .automatic, setup: setup, delegate: nil)
    #expect(!application.isEmbedded)
    #expect(
      daemon.requests == [
        "register name=phone modes=voip,audio launch=background profile=ios7 exitsOnSuspend"
      ])
  }

  @Test(arguments: [Host.automatic, .daemon])
  func `A daemon of another user is told nothing, and none is started in its place`(host: Host) throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    let (own, other) = (Identity.uid(), Identity.uid() + 1)
    var setup = ApplicationSetup()
    setup.controlSocket = daemon.path
    setup.user = other
    setup.startDaemon = { () throws(DaemonLaunchError) in Issue.record("it started a daemon") }
    let text =
      "\(daemon.path): uid \(own) listens there, not uid \(other): "
      + "set LULL_RUNTIME_DIR to a directory of your own"
    #expect(throws: LullError.refused(text)) {
      try Application(Registration(name: "phone"), host: host, setup: setup, delegate: nil)
    }
    #expect(daemon.requests.isEmpty)
  }

  @Test func `Delegate messages are answered after they have returned`() throws {
    let it = try Managed(launch: .foreground, launched: false)
    let daemon = it.daemon
    daemon.forget()
    it.recorder.on["willFinishLaunching inactive"] = { _ in #expect(daemon.requests.isEmpty) }
    try daemon.send("event deliver message=willFinishLaunching ticket=1")
    #expect(try it.requests(1) == ["did ticket=1"])
    try daemon.send("event deliver message=didFinishLaunching ticket=2 launchReason=data")
    try daemon.send("event deliver message=didBecomeActive ticket=3")
    #expect(try it.requests(3).suffix(2) == ["did ticket=2", "did ticket=3"])
    #expect(
      it.recorder.events == ["willFinishLaunching inactive", "didFinishLaunching", "didBecomeActive active"])
  }

  @Test func `The program knows what puts it to sleep, and that nothing does without the daemon`() throws {
    for (word, suspension) in [("cgroup", Suspension.cgroup), ("signal", .signals), ("magnet", .none)] {
      let answer = "ok name=phone state=background suspender=\(word) wakesMachine=true"
      let it = try Managed { $0.hasPrefix("register") ? answer : nil }
      #expect(it.application.suspension == suspension && it.application.wakesMachine)
      it.daemon.stop()
      try it.until { !it.application.wakesMachine }
      #expect(it.application.suspension == .none)
    }
  }

  private static let launches: [(String, LaunchReason, String?, String?)] = [
    ("launchReason=data line=\"tcp 10.0.0.7:5090\"", .data, "tcp 10.0.0.7:5090", nil),
    ("launchReason=url url=sip:alice@example.org", .url, nil, "sip:alice@example.org"),
    ("", .user, nil, nil),
  ]

  @Test(arguments: launches)
  func `The delegate is told why the program was launched`(
    fields: String, reason: LaunchReason, line: String?, url: String?
  ) throws {
    let it = try Managed(launched: false) {
      $0.hasPrefix("register") ? "ok name=phone state=inactive \(fields)" : nil
    }
    try it.daemon.send(
      "event deliver message=willFinishLaunching ticket=1",
      "event deliver message=didFinishLaunching ticket=2")
    let recorder = it.recorder
    try it.until { recorder.launches.count == 2 }
    for options in recorder.launches {
      #expect(options.target == .background)
      #expect(options.reason == reason)
      #expect(options.line == line)
      #expect(options.url == url)
    }
  }

  @Test func `A program that lull run started keeps the name it got there`() throws {
    let it = try Managed(launched: false) { $0.hasPrefix("register") ? "ok name=run-name state=active" : nil }
    #expect(it.application.name == "run-name")
  }

  @Test func `Notices that come before an answer are kept and not handled inside the call`() throws {
    let it = try Managed { request in
      request.hasPrefix("begin-task")
        ? "event wake ticket=8 reason=data line=1\nitem kind=note\nevent future thing=1\nok task=9" : nil
    }
    _ = try it.application.beginBackgroundTask(named: "two words") {}
    #expect(it.recorder.events.isEmpty)
    #expect(
      try Socket.poll(it.application.fileDescriptor, .readable, timeoutMilliseconds: 0) == .readable)
    it.application.dispatch()
    #expect(it.recorder.events == ["didWake data"])
    #expect(it.daemon.requests == ["begin-task name=\"two words\""])
  }

  @Test func `Every request has the protocol's form`() throws {
    let it = try Managed()
    let (ours, _) = try UnixSocket.pair()
    let application = it.application
    let line = try application.hold(ours.raw, as: .accessory, offload: [.line, .stun])
    let task = try application.beginBackgroundTask(named: "upload") {}
    #expect(application.backgroundTimeRemaining == 42)
    application.endBackgroundTask(task)
    try application.present(LocalNotification(body: "New VOIP call", title: "phone", action: "Answer"))
    let tea = try application.schedule(LocalNotification(body: "tea"), after: 1.5, repeats: 60)
    try application.schedule(LocalNotification(body: "dinner"), atUnixTime: 2_000_000_000)
    application.cancel(tea)
    application.cancelAllNotifications()
    #expect(application.setKeepAliveTimeout(900) {})
    application.setKeepAliveTimeout(nil)
    application.enterBackground()
    application.requestForeground()
    line.release()
    application.leave()
    let daemon = it.daemon
    try it.until { daemon.requests.last == "bye" }
    #expect(
      daemon.requests == [
        "hold fd=\(ours.raw) type=accessory offload=line,stun", "begin-task name=upload", "remaining",
        "end-task task=6", "present body=\"New VOIP call\" title=phone action=Answer",
        "schedule body=tea in=1.5 repeat=60", "schedule body=dinner at=2000000000", "cancel notification=10",
        "cancel all", "keepalive timeout=900", "keepalive", "background", "foreground", "release line=5",
        "bye",
      ])
    #expect(daemon.handed.map(\.file) == [try FileIdentity.of(ours.raw)])
  }

  @Test func `Refusals are told with the daemon's words`() throws {
    let it = try Managed { request in
      switch request.prefix(4) {
      case "hold": "error code=too-many-lines message=\"at most 256 lines per program\""
      case "begi": "error code=no-background-time message=\"the time has run out\""
      case "keep": "error code=wrong-mode message=\"no voip\""
      case "pres": "error code=new-code message=\"of the future\""
      default: nil
      }
    }
    let application = it.application
    let (ours, _) = try UnixSocket.pair()
    #expect(throws: LullError.limitReached("at most 256 lines per program")) {
      try application.hold(ours.raw)
    }
    #expect(throws: LullError.noBackgroundTime) { try application.beginBackgroundTask(named: "x") {} }
    #expect(!application.setKeepAliveTimeout(600) {})
    #expect(throws: LullError.refused("new-code: of the future")) {
      try application.present(LocalNotification(body: "x"))
    }
    #expect(throws: LullError.refused("a line has at most 4096 bytes")) {
      try application.present(LocalNotification(body: String(repeating: "x", count: 5000)))
    }
    #expect(throws: LullError.nameInUse("phone")) {
      _ = try Managed(launched: false) { _ in "error code=name-in-use message=\"taken\"" }
    }
  }

  @Test func `A daemon that does not answer is given up in time, and found again`() throws {
    let it = try Managed(patience: .seconds(2)) {
      $0.hasPrefix("remaining") || $0.hasPrefix("begin") ? FakeDaemon.silence : nil
    }
    let application = it.application
    #expect(throws: LullError.timedOut("begin-task")) { try application.beginBackgroundTask(named: "x") {} }
    #expect(
      try it.requests(2) == [
        "begin-task name=x",
        "register name=phone modes=voip,external-accessory launch=background profile=ios4 resume=background",
      ])
  }

  @Test func `Without a daemon an automatic application supervises itself`() throws {
    var setup = ApplicationSetup()
    setup.controlSocket = FakeDaemon.freshPath()
    setup.startDaemon = { () throws(DaemonLaunchError) in throw .notFound }
    let registration = Registration(name: "phone")
    let application = try Application(
      registration, host: .automatic, setup: setup, delegate: nil)
    #expect(application.isEmbedded)
    #expect(throws: LullError.daemonUnavailable(DaemonLaunchError.notFound.description)) {
      try Application(registration, host: .daemon, setup: setup, delegate: nil)
    }
  }

  @Test func `A daemon that has to be started is started once`() throws {
    final class Box { var daemon: FakeDaemon?; var starts = 0 }
    let box = Box()
    let path = FakeDaemon.freshPath()
    var setup = ApplicationSetup()
    setup.controlSocket = path
    setup.startDaemon = { () throws(DaemonLaunchError) in
      box.starts += 1
      box.daemon = try? FakeDaemon(path: path)
    }
    let application = try Application(
      Registration(name: "phone"), host: .daemon, setup: setup, delegate: nil)
    #expect(!application.isEmbedded)
    #expect(box.starts == 1)
    box.daemon?.stop()
  }
}

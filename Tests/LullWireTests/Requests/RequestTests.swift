import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct RequestTests {
  /// Every request as it is written; optional fields once present and once absent.
  static let table: [(String, Request)] = [
    ("hello", .hello()), ("hello boot", .hello(boot: true)),
    (#"register name=a modes="""#, .register(.init(name: "a"))),
    (
      "register name=soft.phone_1 modes=voip,audio,external-accessory launch=background profile=ios7 "
        + "resume=active exitsOnSuspend batchWakes=0.5",
      .register(
        .init(
          name: "soft.phone_1",
          .init {
            $0.modes = [.voip, .audio, .externalAccessory]
            ($0.exitsOnSuspend, $0.batchWakes) = (true, .milliseconds(500))
          },
          launch: .background, profile: .ios7, resume: .active))
    ),
    ("did ticket=1", .did(ticket: Ticket(1))),
    ("done ticket=2", .done(ticket: Ticket(2))),
    ("handling ticket=2", .handling(ticket: Ticket(2))),
    ("hold fd=0", .hold(.init(descriptor: 0))),
    (
      "hold fd=5 type=accessory offload=line,crlf,udp-keepalive,stun tcpKeepalive=240",
      .hold(
        .init(
          descriptor: 5, type: .accessory, offload: [.line, .crlf, .udpKeepalive, .stun],
          tcpKeepAlive: .seconds(240)))
    ),
    ("release line=3", .release(line: LineID(3))),
    ("keepalive", .keepalive(nil)),
    ("keepalive timeout=600", .keepalive(.init(timeout: .seconds(600)))),
    (
      "keepalive timeout=600 lastRun=123456789",
      .keepalive(.init(timeout: .seconds(600), lastRunNanoseconds: 123_456_789))
    ),
    (#"begin-task name="up load""#, .beginTask(name: "up load")),
    ("end-task task=4", .endTask(task: TaskID(4))),
    ("remaining", .remaining),
    ("ring", .ring),
    ("doorbell", .doorbell(inode: nil)),
    ("doorbell inode=77", .doorbell(inode: 77)),
    (
      "session category=playback direction=play rate=48000 channels=2 format=s16 frames=24000",
      .session(
        .init(
          category: .playback, direction: .play, rate: 48_000, channels: 2, format: .s16, frames: 24_000))
    ),
    (
      "session category=playAndRecord direction=capture rate=16000 channels=1 format=f32 frames=480000 mix "
        + "duck spoken lowWater=80000 latency=0.04",
      .session(
        .init(
          category: .playAndRecord, direction: .capture, rate: 16_000, channels: 1, format: .f32,
          frames: 480_000, mix: true, duck: true, spoken: true, lowWater: 80_000,
          latency: .milliseconds(40)))
    ),
    (
      "session category=playback direction=play rate=48000 channels=2 format=s16 frames=24000 output=hw:1,0",
      .session(
        .init(
          category: .playback, direction: .play, rate: 48_000, channels: 2, format: .s16, frames: 24_000,
          device: "hw:1,0"))
    ),
    (
      #"session category=record direction=capture rate=48000 channels=1 format=s16 frames=24000 "#
        + #"input="hw:CARD=USB""#,
      .session(
        .init(
          category: .record, direction: .capture, rate: 48_000, channels: 1, format: .s16, frames: 24_000,
          device: "hw:CARD=USB"))
    ),
    ("sound-route name=phone device=hw:1", .audioRoute(.init(name: "phone", device: "hw:1"))),
    (
      "sound-route name=phone device=default session=7",
      .audioRoute(.init(name: "phone", device: nil, session: SessionID(7)))
    ),
    (
      "sound-route name=phone device=hw:1 direction=capture",
      .audioRoute(.init(name: "phone", device: "hw:1", direction: .capture))
    ),
    ("end-session session=9", .endSession(session: SessionID(9))),
    ("present body=b", .present(.init(body: "b"))),
    ("present body=b sound=default call", .present(.init(body: "b", sound: .default, isCall: true))),
    ("present body=b sound=/a.wav", .present(.init(body: "b", sound: .file("/a.wav")))),
    ("present body=b replaces=7", .present(.init(body: "b"), replaces: NotificationID(7))),
    (
      "schedule body=b at=5 repeat=month zone=Europe/Berlin",
      .schedule(
        .init(
          notification: .init(body: "b"), date: .wall(5_000_000_000), repeats: .calendar(.month),
          zone: "Europe/Berlin"))
    ),
    ("quiet", .quiet()), ("quiet on=yes", .quiet(on: .yes)),
    ("recording name=phone permission=denied", .recording(RecordingEntry("phone", .denied))),
    ("scheduled all", .scheduled(all: true)),
    (
      #"present body="New VOIP call" title=t action=Answer"#,
      .present(.init(body: "New VOIP call", title: "t", action: "Answer"))
    ),
    (
      "schedule body=b at=1700000000.5",
      .schedule(.init(notification: .init(body: "b"), date: .wall(1_700_000_000_500_000_000)))
    ),
    (
      "schedule body=b title=t action=a in=5 repeat=60",
      .schedule(
        .init(
          notification: .init(body: "b", title: "t", action: "a"), date: .after(.seconds(5)),
          repeats: .every(.seconds(60))))
    ),
    ("wake-in seconds=60", .wakeIn(.seconds(60))), ("wake-in", .wakeIn(nil)),
    ("cancel notification=5", .cancel(NotificationID(5))),
    ("cancel all", .cancel(nil)),
    ("scheduled", .scheduled()),
    ("background", .background(name: nil)),
    ("background name=a", .background(name: "a")),
    ("foreground", .foreground(name: nil)),
    ("foreground name=a", .foreground(name: "a")),
    ("handover line=3 ticket=9", .handover(line: LineID(3), ticket: Ticket(9))),
    ("ready ticket=9", .ready(ticket: Ticket(9))),
    ("bye", .bye),
    ("status", .status(name: nil)),
    ("status name=a", .status(name: "a")),
    ("status all", .status(name: nil, all: true)),
    ("why name=a", .why(name: "a")),
    ("lines", .lines(name: nil, all: false)),
    ("lines name=a", .lines(name: "a", all: false)),
    ("lines name=a all", .lines(name: "a", all: true)),
    ("lines all", .lines(name: nil, all: true)),
    ("log", .log(follow: false, last: nil)),
    ("log follow last=20", .log(follow: true, last: 20)),
    (
      "log name=a since=1700000000.25 boot",
      .log(
        follow: false, last: nil, name: "a", since: Interval(nanoseconds: 1_700_000_000_250_000_000),
        boot: true)
    ),
    ("wake name=a", .wake(name: "a")),
    ("suspend name=a", .suspend(name: "a")),
    ("purge name=a", .purge(name: "a")),
    ("quit name=a", .quit(name: "a", now: false)), ("quit name=a now", .quit(name: "a", now: true)),
    ("quit name=a keepLines", .quit(name: "a", now: false, keepLines: true)),
    ("quit name=a restart", .quit(name: "a", now: false, restart: true)),
    ("line-state line=3", .lineState(line: LineID(3))),
    ("kept name=a", .kept(name: "a", line: nil)), ("kept name=a line=3", .kept(name: "a", line: LineID(3))),
    ("notifications", .notifications(follow: false)),
    ("notifications follow", .notifications(follow: true)),
    ("answer notification=5 action=default", .answer(notification: NotificationID(5), action: "default")),
    ("stop-daemon", .stopDaemon()), ("stop-daemon programs", .stopDaemon(programs: true)),
    ("doctor", .doctor), ("lock", .lock), ("unlock", .unlock),
    ("installed", .installed()), ("installed name=phone start", .installed(name: "phone", start: true)),
    ("upgrade", .upgrade()), ("upgrade folder=/usr/bin", .upgrade(folder: "/usr/bin")),
    ("started", .started),
    ("adopt adopts=unit name=a origin=b", .adopt(.init(.unit, name: "a", origin: "b"))),
    ("adopt adopts=cgroup dryRun", .adopt(.init(.cgroup, isDryRun: true))),
    ("let-go name=a", .letGo(name: "a")),
    ("ended name=a status=7", .ended(name: "a", .exited(7))),
    ("ended name=a signal=9", .ended(name: "a", .signaled(9))),
    ("ended name=a", .ended(name: "a", .unknown)),
    ("command arguments=3", .command(arguments: 3)),
    ("run", .run(.init())),
    (
      "run name=baresip modes=voip keepAlive=600 batchWakes=2 detach",
      .run(
        .init(
          name: "baresip",
          .init { ($0.modes, $0.keepAlive, $0.batchWakes) = (.voip, .seconds(600), .seconds(2)) },
          detach: true))
    ),
    (
      "run wakeOn=5060,5061 ignore=10000,65535 tcpKeepalive=120 udpKeepalive=29.5 "
        + "udpKeepaliveTo=192.0.2.1:5060 linger=2",
      .run(
        .init(
          .init {
            ($0.wakeOn, $0.ignore) = ([5060, 5061], [10000, 65535])
            ($0.tcpKeepAlive, $0.udpKeepAlive) = (.seconds(120), .milliseconds(29500))
            ($0.udpKeepAliveTo, $0.linger) = ("192.0.2.1:5060", .seconds(2))
          }))
    ),
    (
      "register name=a modes=voip purgeable",
      .register(.init(name: "a", .init { ($0.modes, $0.isPurgeable) = (.voip, true) }))
    ),
    ("run cpu=20 memorySignal=10", .run(.init(.init { ($0.processorPercent, $0.memorySignal) = (20, 10) }))),
    (
      "run accessory=tty,usb:046d:c52b",
      .run(
        .init(
          .init { $0.accessories = [Accessory(.tty), Accessory(.usb, vendor: 0x046d, product: 0xc52b)] }))
    ),
    ("run ignorePeer=::1", .run(.init(.init { $0.ignoredPeers = [PeerRange("::1")].compactMap(\.self) }))),
    ("run answerProbe=80/x", .run(.init(.init { $0.probes = [ProbeRule("80/x")].compactMap(\.self) }))),
    ("run name=a returning", .run(.init(name: "a", returns: true))),
    ("run timers=5", .run(.init(.init { $0.timers = .floor(.seconds(5)) }))),
    ("run timers=29.5", .run(.init(.init { $0.timers = .floor(.milliseconds(29500)) }))),
    ("run timers=never", .run(.init(.init { $0.timers = .never }))),
    ("fetch seconds=3600 since=12", .fetch(.seconds(3600), since: 12)),
    ("fetched ticket=7 result=new-data", .fetched(ticket: Ticket(7), .newData)),
    ("push name=news", .push(name: "news")),
    (
      "push name=news title=News silent", .push(name: "news", title: "News", isSilent: true)
    ),
    ("open url=sip:a", .open(url: "sip:a")),
    ("open url=tel:+1 name=phone", .open(url: "tel:+1", name: "phone")),
    (
      "register name=a modes=voip schemes=sip,tel",
      .register(.init(name: "a", .init { ($0.modes, $0.schemes) = (.voip, ["sip", "tel"]) }))
    ),
    (
      "register name=a modes=voip noCompact",
      .register(.init(name: "a", .init { ($0.modes, $0.staysInMemory) = (.voip, true) }))
    ),
    ("run modes=voip noCompact", .run(.init(.init { ($0.modes, $0.staysInMemory) = (.voip, true) }))),
    ("run launchReason=url url=sip:a", .run(.init(launch: .init(.url, url: "sip:a")))),
    (
      "run modes=audio silence=2.5",
      .run(.init(.init { ($0.modes, $0.silence) = (.audio, .milliseconds(2500)) }))
    ),
    ("attach name=a", .attach(name: "a")),
    ("alarm", .alarm),
    ("signal name=a number=15", .signal(name: "a", number: 15)),
    ("signal name=a number=20 sent", .signal(name: "a", number: 20, sent: true)),
    ("run exitsOnSuspend", .run(.init(.init { $0.exitsOnSuspend = true }))),
  ]

  @Test(arguments: table)
  func `a request is read and written as the protocol has it`(text: String, request: Request) throws {
    #expect(try Request.parse(Message.parse(text)) == request)
    #expect(try line(request.message()) == text + "\n")
    #expect(request.verb.rawValue == text.prefix { $0 != " " })
  }

  @Test func `every verb is among them`() {
    #expect(Set(Self.table.map(\.1.verb)) == Set(Verb.allCases))
    for verb in Verb.allCases { #expect(Request.blank(verb).verb == verb) }
  }

  @Test func `only nine requests carry a descriptor`() {
    let verbs = Set(Self.table.map(\.1).filter(\.expectsDescriptor).map(\.verb))
    #expect(verbs == [.hold, .lineState, .handover, .command, .started, .ring, .doorbell, .push, .adopt])
  }

  static let refused: [(String, Code, String)] = [
    ("stauts", .unknownVerb, #"unknown verb "stauts": did you mean "status"?"#),
    ("hlod fd=1", .unknownVerb, #"unknown verb "hlod": did you mean "hold"?"#),
    ("frobnicate", .unknownVerb, #"unknown verb "frobnicate""#),
    ("x", .unknownVerb, #"unknown verb "x""#),
    ("ok", .unknownVerb, #"unknown verb "ok""#),
    ("event wake ticket=1", .unknownVerb, #"unknown verb "event""#),
    ("lock name=a", .badValue, #"unknown field "name": lock has no fields"#),
    (
      "keepalive tiemout=600", .badValue,
      #"unknown field "tiemout": keepalive knows only timeout, lastRun, since"#
    ),
    ("register modes=voip", .missingField, "name is missing"),
    (
      "run accessory=usb:46d", .badValue,
      #"accessory="usb:46d": expected tty, usb, input, sound, and behind it :VENDOR or :VENDOR:PRODUCT, "#
        + "if wanted, each 4 hexadecimal digits as lsusb shows them, such as usb:046d:c52b; at most 16"
    ),
    ("register name=a", .missingField, "modes is missing"),
    (
      "register name=a modes=video", .badValue,
      #"modes="video": expected one of voip, audio, external-accessory, fetch, remote-notification, "#
        + "location, bluetooth-central, bluetooth-peripheral"
    ),
    (
      "register name=a modes=voip launch=now", .badValue,
      #"launch="now": expected one of foreground, background"#
    ),
    (
      "register name=a modes=voip resume=inactive", .badValue,
      #"resume="inactive": expected one of active, background"#
    ),
    (
      "keepalive timeout=-600", .badValue,
      #"timeout="-600": expected seconds, such as 600 or 0.25, at most nine decimals"#
    ),
    (
      "keepalive timeout", .badValue,
      #"timeout="true": expected seconds, such as 600 or 0.25, at most nine decimals"#
    ),
    ("keepalive lastRun=5", .missingField, "timeout is missing"),
    (
      "keepalive timeout=600 lastRun=-5", .badValue,
      #"lastRun="-5": expected a whole number from 0 to 9223372036854775807"#
    ),
    ("did ticket=-1", .badValue, #"ticket="-1": expected a whole number, 0 or more"#),
    ("done", .missingField, "ticket is missing"),
    ("handling", .missingField, "ticket is missing"),
    ("hold", .missingField, "fd is missing"),
    ("hold fd=-1", .badValue, #"fd="-1": expected a whole number from 0 to 2147483647"#),
    ("hold fd=2147483648", .badValue, #"fd="2147483648": expected a whole number from 0 to 2147483647"#),
    ("ended name=a status=1 signal=2", .badValue, #"signal="2": expected status or signal, not both"#),
    ("command arguments=0", .badValue, #"arguments="0": expected a whole number from 1 to 2147483647"#),
    ("signal name=a number=65", .badValue, #"number="65": expected a whole number from 1 to 64"#),
    ("present", .missingField, "body is missing"),
    (
      "present body=b sound=ring.wav", .badValue,
      #"sound="ring.wav": expected default, or the absolute path of a file"#
    ),
    ("present body=b sound=\"\"", .badValue, #"sound="": expected default, or the absolute path of a file"#),
    ("schedule body=b", .missingField, "at or in is missing"),
    ("schedule body=b at=1 in=2", .badValue, #"in="2": expected at or in, not both"#),
    ("cancel", .missingField, "notification or all is missing"),
    ("cancel notification=1 all", .badValue, #"all="true": expected notification or all, not both"#),
    ("log follow=maybe", .badValue, #"follow="maybe": expected true or false"#),
    ("answer notification=1", .missingField, "action is missing"),
    ("run wakeOn=0", .badValue, #"wakeOn="0": expected ports from 1 to 65535, such as 5060,5061"#),
    (
      "run wakeOn=5060,65536", .badValue,
      #"wakeOn="65536": expected ports from 1 to 65535, such as 5060,5061"#
    ),
    ("run ignore=sip", .badValue, #"ignore="sip": expected ports from 1 to 65535, such as 5060,5061"#),
    ("run ignore=-5060", .badValue, #"ignore="-5060": expected ports from 1 to 65535, such as 5060,5061"#),
    ("run ignore=7,", .badValue, #"ignore="7,": expected a list such as one,two"#),
    ("run wakeOn=7,8,7", .badValue, #"wakeOn="7,8,7": expected each port once"#),
    (
      "run linger=-1", .badValue,
      #"linger="-1": expected seconds, such as 600 or 0.25, at most nine decimals"#
    ),
    ("run timers=4.999", .badValue, #"timers="4.999": expected seconds from 5 to 3153600000, or never"#),
    ("run timers=-5", .badValue, #"timers="-5": expected seconds from 5 to 3153600000, or never"#),
    ("run timers", .badValue, #"timers="true": expected seconds from 5 to 3153600000, or never"#),
    ("run timers=Never", .badValue, #"timers="Never": expected seconds from 5 to 3153600000, or never"#),
    (
      "run timers=3153600000.1", .badValue,
      #"timers="3153600000.1": expected seconds from 5 to 3153600000, or never"#
    ),
    ("lines all=maybe", .badValue, #"all="maybe": expected true or false"#),
    (
      "run udpKeepalive", .badValue,
      #"udpKeepalive="true": expected seconds, such as 600 or 0.25, at most nine decimals"#
    ),
    ("why", .missingField, "name is missing"),
    ("why name=.hidden", .badValue, "name=\".hidden\": expected \(ProgramName.expected)"),
  ]

  @Test(arguments: refused)
  func `a request that is not right is refused with one line that says why`(
    text: String, code: Code, message: String
  ) throws {
    let parsed = try Message.parse(text)
    let error = #expect(throws: WireError.self) { try Request.parse(parsed) }
    #expect(error?.code == code)
    #expect(error?.message == message)
  }

  @Test func `an error quotes at most 64 bytes of what it refuses`() throws {
    let value = String(repeating: "é", count: 500)
    let error = #expect(throws: WireError.self) { try Request.parse(Message("why").adding(.name, value)) }
    let shown = "name=\"\(String(repeating: "é", count: 32))...\""
    #expect(error?.message.hasPrefix(shown) == true)
  }

  @Test(arguments: [
    ("a", true), ("9", true), ("A.b_c-d", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("", false), ("-a", false), (".a", false), ("_a", false),
    ("a b", false), ("a/b", false), ("é", false), ("a\n", false),
  ])
  func `names are short and plain`(name: String, isValid: Bool) {
    #expect(ProgramName.isValid(name) == isValid)
  }

  @Test(arguments: [
    ("/usr/bin/baresip", "baresip"), ("linphonec", "linphonec"), ("./my prog", "my-prog"), ("/a/b/", "b"),
    ("-sh", "sh"), ("/opt/é", nil), ("", nil), ("///", nil),
    (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
  ])
  func `a command's name comes from its path`(path: String, name: String?) {
    #expect(ProgramName.derived(fromPath: path) == name)
    #expect(name.map(ProgramName.isValid) ?? true)
  }

  @Test(arguments: [
    "", "a b", "x'y", "{type hw}", "file:/tmp/x", "file:x,raw", "tee:x", "a/b", "h\u{f6}rer",
    String(repeating: "a", count: 129), "lull", "plug:lull",
  ])
  func `what cannot name a device is refused`(name: String) throws {
    #expect(!DeviceName.isValid(name))
    let message = Message("sound-route").adding(.name, "phone").adding(.device, name)
    #expect(throws: WireError.self) { try Request.parse(message) }
  }

  @Test func `a sink of a sound server may be called as Lull's own device is`() {
    #expect(DeviceName.isValid("pulse:lull") && DeviceName.isValid("pulse:"))
  }

  @Test func `a session names a device of its own direction`() throws {
    let fields = "category=record direction=capture rate=8000 channels=1 format=u8 frames=64"
    let message = try Message.parse("session \(fields) output=hw:1")
    #expect(throws: WireError.self) { try Request.parse(message) }
  }
}

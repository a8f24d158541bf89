/// One row of the command table: a verb, the fields that it knows, and how they are read.
struct Command: Sendable {
  let verb: Verb
  let fields: [Key]
  let parse: @Sendable (Message) throws(WireError) -> Request

  init(_ verb: Verb, _ fields: [Key] = [], parse: @escaping @Sendable (Message) throws(WireError) -> Request)
  {
    self.verb = verb
    self.fields = fields
    self.parse = parse
  }

  func request(_ message: Message) throws(WireError) -> Request {
    for field in message.fields where !fields.contains(where: { $0.rawValue == field.key }) {
      throw .unknownField(field.key, verb: verb.rawValue, known: fields.map(\.rawValue))
    }
    return try parse(message)
  }

  /// All commands, sorted by verb: ``find(_:)`` relies on it.
  static let all: [Command] = [
    Command(.answer, [.notification, .action]) { (m) throws(WireError) in
      .answer(notification: try m.identifier(.notification), action: try m.string(.action))
    },
    Command(.attach, [.name]) { (m) throws(WireError) in .attach(name: try m.programName()) },
    Command(.background, [.name]) { (m) throws(WireError) in .background(name: try m.programNameIfPresent())
    },
    Command(.beginTask, [.name]) { (m) throws(WireError) in .beginTask(name: try m.string(.name)) },
    Command(.bell, [.inode]) { (m) throws(WireError) in .bell(inode: try m.unsigned(ifPresent: .inode)) },
    Command(.bye) { (_) throws(WireError) in .bye },
    Command(.cancel, [.notification, .all]) { (m) throws(WireError) in .cancel(try Request.Cancel(m)) },
    Command(.command, [.arguments]) { (m) throws(WireError) in
      .command(arguments: Int(try m.integer(.arguments, in: 1...Int64(Int32.max))))
    },
    Command(.did, [.ticket]) { (m) throws(WireError) in .did(ticket: try m.unsigned(.ticket)) },
    Command(.directory) { (_) throws(WireError) in .directory },
    Command(.doctor) { (_) throws(WireError) in .doctor },
    Command(.done, [.ticket]) { (m) throws(WireError) in .done(ticket: try m.unsigned(.ticket)) },
    Command(.endSession, [.session]) { (m) throws(WireError) in
      .endSession(session: try m.identifier(.session))
    },
    Command(.endTask, [.task]) { (m) throws(WireError) in .endTask(task: try m.identifier(.task)) },
    Command(.foreground, [.name]) { (m) throws(WireError) in .foreground(name: try m.programNameIfPresent())
    },
    Command(.handover, [.line, .ticket]) { (m) throws(WireError) in
      .handover(line: try m.identifier(.line), ticket: try m.unsigned(.ticket))
    },
    Command(.hello) { (_) throws(WireError) in .hello },
    Command(.hold, [.fd, .type, .offload, .tcpKeepalive]) { (m) throws(WireError) in
      .hold(try Request.Hold(m))
    },
    Command(.keepalive, [.timeout, .lastRun, .since]) { (m) throws(WireError) in
      .keepalive(try Request.KeepAlive.ifPresent(m))
    },
    Command(.lines, [.name, .all]) { (m) throws(WireError) in
      .lines(name: try m.programNameIfPresent(), all: try m.flag(.all))
    },
    Command(.log, [.follow, .last]) { (m) throws(WireError) in
      let last = try m.integer(ifPresent: .last, in: 0...Int64(Int32.max))
      return .log(follow: try m.flag(.follow), last: last.map { Int($0) })
    },
    Command(.notifications, [.follow]) { (m) throws(WireError) in
      .notifications(follow: try m.flag(.follow))
    },
    Command(.present, [.body, .title, .action]) { (m) throws(WireError) in
      .present(try Request.Notification(m))
    },
    Command(.quit, [.name]) { (m) throws(WireError) in .quit(name: try m.programName()) },
    Command(.ready, [.ticket]) { (m) throws(WireError) in .ready(ticket: try m.unsigned(.ticket)) },
    Command(.register, [.name, .modes, .launch, .exitsOnSuspend, .profile, .batchWakes, .resume]) {
      (m) throws(WireError) in .register(try Request.Register(m))
    },
    Command(.release, [.line]) { (m) throws(WireError) in .release(line: try m.identifier(.line)) },
    Command(.remaining) { (_) throws(WireError) in .remaining },
    Command(.ring) { (_) throws(WireError) in .ring },
    Command(
      .run,
      [
        .name, .modes, .keepAlive, .detach, .batchWakes, .wakeOn, .ignore, .tcpKeepalive, .udpKeepalive,
        .udpKeepaliveTo, .linger, .timers, .silence,
      ]
    ) { (m) throws(WireError) in .run(try Request.Run(m)) },
    Command(.schedule, [.body, .title, .action, .at, .in, .repeat]) { (m) throws(WireError) in
      .schedule(try Request.Schedule(m))
    },
    Command(.scheduled) { (_) throws(WireError) in .scheduled },
    Command(.session, Request.Session.fields) { (m) throws(WireError) in
      .session(try Request.Session(m))
    },
    Command(.signal, [.name, .number]) { (m) throws(WireError) in
      .signal(name: try m.programName(), number: Int32(try m.integer(.number, in: 1...64)))
    },
    Command(.soundRoute, Request.SoundRoute.fields) { (m) throws(WireError) in
      .soundRoute(try Request.SoundRoute(m))
    },
    Command(.status, [.name]) { (m) throws(WireError) in .status(name: try m.programNameIfPresent()) },
    Command(.stdio, [.number]) { (m) throws(WireError) in
      .stdio(number: Int32(try m.integer(.number, in: 0...2)))
    },
    Command(.suspend, [.name]) { (m) throws(WireError) in .suspend(name: try m.programName()) },
    Command(.wake, [.name]) { (m) throws(WireError) in .wake(name: try m.programName()) },
    Command(.why, [.name]) { (m) throws(WireError) in .why(name: try m.programName()) },
  ]

  /// The row of a verb.
  static func find(_ verb: String) -> Command? {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = all[middle].verb.rawValue
      if candidate == verb { return all[middle] }
      if candidate < verb { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

extension Message {
  func programName() throws(WireError) -> String {
    guard let name = try programNameIfPresent() else { throw .missingField(Key.name.rawValue) }
    return name
  }

  func programNameIfPresent() throws(WireError) -> String? {
    guard let name = self[.name] else { return nil }
    guard ProgramName.isValid(name) else {
      throw .badValue(key: Key.name.rawValue, value: name, expected: ProgramName.expected)
    }
    return name
  }
}

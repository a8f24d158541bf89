extension Request.Register: FieldGroup {
  package static var blank: Self { .init(name: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var seen = self
    seen.name = try fields.needed(.name, .programName, value: name)
    seen.settings.modes = try fields.needed(.modes, .words, value: settings.modes)
    seen.launch = try fields.optional(.launch, .word, value: launch)
    seen.profile = try fields.optional(.profile, .word, value: profile)
    seen.resume = try fields.optional(
      .resume, .word(among: [ApplicationState.active, .background]), value: resume)
    seen.settings = try seen.settings.visitedInRegister(by: &fields)
    return seen
  }
}

extension Request.Hold: FieldGroup {
  package static var blank: Self { .init(descriptor: 0) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      descriptor: try fields.needed(.fd, .number(in: 0 ... .max), value: descriptor),
      type: try fields.optional(.type, .word, value: type),
      offload: try fields.set(.offload, offload),
      tcpKeepAlive: try fields.optional(
        .tcpKeepalive, .seconds(in: Bounds.tcpKeepAlives), value: tcpKeepAlive),
      name: try fields.optional(.name, .programName, value: name),
      isEncrypted: try fields.flag(.encrypted, isEncrypted))
  }
}

extension Request.KeepAlive {
  /// The fields of `keepalive`; nil is the request without fields, which clears the keep-alive.
  static func visited(_ old: Self?, by fields: inout some FieldVisitor) throws(WireError) -> Self? {
    let timeout = try fields.optional(.timeout, .seconds(in: Bounds.durations), value: old?.timeout)
    let lastRun = try fields.optional(.lastRun, .number(in: 0 ... .max), value: old?.lastRunNanoseconds)
    let since = try fields.optional(.since, .number(in: 0 ... .max), value: old?.sinceNanoseconds)
    if let timeout {
      return .init(timeout: timeout, lastRunNanoseconds: lastRun, sinceNanoseconds: since)
    }
    if lastRun == nil, since == nil { return nil }
    throw .missingField(Key.timeout.rawValue)
  }
}

extension LocalNotification: FieldGroup {
  package static var blank: Self { .init(body: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      body: try fields.needed(.body, .text, value: body),
      title: try fields.optional(.title, .text, value: title),
      action: try fields.optional(.action, .text, value: action),
      sound: try fields.optional(.sound, .sound, value: sound),
      isCall: try fields.flag(.call, isCall))
  }
}

extension Request.Schedule: FieldGroup {
  package static var blank: Self { .init(notification: .blank, date: .after(.zero)) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      notification: try notification.visited(by: &fields),
      date: try date.visited(by: &fields),
      repeats: try fields.optional(.repeat, .repeatRule, value: repeats),
      zone: try fields.optional(.zone, .text, value: zone))
  }
}

extension FireDate {
  fileprivate func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let at = try fields.optional(.at, .seconds(in: Bounds.dates), value: at)
    let after = try fields.optional(.in, .seconds(in: Bounds.durations), value: after)
    switch (at, after) {
    case (let at?, nil): return .wall(at.nanoseconds)
    case (nil, let after?): return .after(after)
    case (nil, nil): throw .missingField("\(Key.at) or \(Key.in)")
    case (_?, let after?):
      throw .badValue(
        key: Key.in.rawValue, value: Seconds.text(after), expected: "\(Key.at) or \(Key.in), not both")
    }
  }

  private var at: Interval? {
    if case .wall(let nanoseconds) = self { Interval(nanoseconds: nanoseconds) } else { nil }
  }

  private var after: Interval? { if case .after(let interval) = self { interval } else { nil } }
}

extension Request {
  /// The fields of `cancel`: one notification, or nil for all.
  static func cancelled(
    _ old: NotificationID?, by fields: inout some FieldVisitor
  ) throws(WireError) -> NotificationID? {
    let id = try fields.optional(.notification, .identifier, value: old)
    switch (id, try fields.flag(.all, old == nil)) {
    case (let id?, false): return id
    case (nil, true): return nil
    case (nil, false): throw .missingField("\(Key.notification) or \(Key.all)")
    case (_?, true):
      throw .badValue(
        key: Key.all.rawValue, value: "true", expected: "\(Key.notification) or \(Key.all), not both")
    }
  }
}

extension Request.Run: FieldGroup {
  package static var blank: Self { .init() }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      name: try fields.optional(.name, .programName, value: name),
      try settings.visited(by: &fields),
      detach: try fields.flag(.detach, detach),
      hasInput: try fields.flag(.input, hasInput),
      launch: try Launch.visited(launch, by: &fields),
      returns: try fields.flag(.returning, returns))
  }
}

extension ExitStatus {
  /// The fields of an end: the status or the signal; neither when the end is not known.
  func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var (code, number): (Int32?, Int32?) = (nil, nil)
    switch self {
    case .exited(let status): code = status
    case .signaled(let signal): number = signal
    case .unknown: break
    }
    let status = try fields.optional(.status, .number(in: 0...255), value: code)
    let signal = try fields.optional(.signal, .number(in: 1...127), value: number)
    guard status == nil || signal == nil else {
      throw .badValue(
        key: Key.signal.rawValue, value: "\(signal ?? 0)",
        expected: "\(Key.status) or \(Key.signal), not both")
    }
    return signal.map { .signaled($0) } ?? status.map { .exited($0) } ?? .unknown
  }
}

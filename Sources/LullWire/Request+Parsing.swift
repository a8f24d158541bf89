extension Request {
  /// Reads a request.
  ///
  /// Throws `unknownVerb`, `missingField`, `badValue`, or `unknownField` for a field that the request does
  /// not know, so that a slip of the pen is seen.
  public static func parse(_ message: Message) throws(WireError) -> Request {
    guard let command = Command.find(message.verb) else {
      throw .unknownVerb(message.verb, suggestion: Spelling.nearestVerb(to: message.verb))
    }
    return try command.request(message)
  }
}

extension Request.Register {
  init(_ message: Message) throws(WireError) {
    self.init(
      name: try message.programName(),
      modes: try message.words(.modes, as: Request.Mode.self),
      launch: try message.word(ifPresent: .launch, as: Request.Launch.self),
      exitsOnSuspend: try message.flag(.exitsOnSuspend),
      profile: try message.word(ifPresent: .profile, as: Request.Profile.self),
      batchWakesNanoseconds: try message.nanoseconds(ifPresent: .batchWakes, in: 0...Limits.longest),
      resume: try message.word(ifPresent: .resume, as: Request.Resume.self))
  }
}

extension Request.Hold {
  init(_ message: Message) throws(WireError) {
    self.init(
      descriptor: Int32(try message.integer(.fd, in: 0...Int64(Int32.max))),
      type: try message.word(ifPresent: .type, as: Request.LineType.self),
      offload: try message.words(ifPresent: .offload, as: Request.Offload.self) ?? [],
      tcpKeepaliveNanoseconds: try message.nanoseconds(ifPresent: .tcpKeepalive, in: Limits.tcpKeepalives))
  }
}

extension Request.KeepAlive {
  /// Nil when the request clears the keep-alive.
  static func ifPresent(_ message: Message) throws(WireError) -> Request.KeepAlive? {
    let lastRun = try message.integer(ifPresent: .lastRun, in: 0 ... .max)
    let since = try message.integer(ifPresent: .since, in: 0 ... .max)
    guard let timeout = try message.nanoseconds(ifPresent: .timeout, in: 0...Limits.longest) else {
      if lastRun == nil, since == nil { return nil }
      throw .missingField(Key.timeout.rawValue)
    }
    return Request.KeepAlive(
      timeoutNanoseconds: timeout, lastRunNanoseconds: lastRun, sinceNanoseconds: since)
  }
}

extension Request.Notification {
  init(_ message: Message) throws(WireError) {
    self.init(body: try message.string(.body), title: message[.title], action: message[.action])
  }
}

extension Request.Schedule {
  init(_ message: Message) throws(WireError) {
    self.init(
      notification: try Request.Notification(message),
      time: try Time(message),
      repeatNanoseconds: try message.nanoseconds(ifPresent: .repeat, in: 0...Limits.longest))
  }
}

extension Request.Schedule.Time {
  init(_ message: Message) throws(WireError) {
    let at = try message.nanoseconds(ifPresent: .at, in: Limits.dates)
    let after = try message.nanoseconds(ifPresent: .in, in: 0...Limits.longest)
    switch (at, after) {
    case (let at?, nil): self = .at(unixNanoseconds: at)
    case (nil, let after?): self = .after(nanoseconds: after)
    case (nil, nil): throw .missingField("\(Key.at) or \(Key.in)")
    case (_?, _?):
      throw .badValue(
        key: Key.in.rawValue, value: message[.in] ?? "", expected: "\(Key.at) or \(Key.in), not both")
    }
  }
}

extension Request.Cancel {
  init(_ message: Message) throws(WireError) {
    let id = message[.notification] == nil ? nil : try message.identifier(.notification)
    switch (id, try message.flag(.all)) {
    case (let id?, false): self = .notification(id)
    case (nil, true): self = .all
    case (nil, false): throw .missingField("\(Key.notification) or \(Key.all)")
    case (_?, true):
      throw .badValue(
        key: Key.all.rawValue, value: "true", expected: "\(Key.notification) or \(Key.all), not both")
    }
  }
}

extension Request.Run {
  /// Reads the fields; those of other requests are passed over.
  public init(_ message: Message) throws(WireError) {
    self.init(
      name: try message.programNameIfPresent(),
      modes: try message.words(ifPresent: .modes, as: Request.Mode.self) ?? [],
      keepAliveNanoseconds: try message.nanoseconds(ifPresent: .keepAlive, in: 0...Limits.longest),
      detach: try message.flag(.detach),
      batchWakesNanoseconds: try message.nanoseconds(ifPresent: .batchWakes, in: 0...Limits.longest),
      wakeOn: try message.ports(ifPresent: .wakeOn) ?? [],
      ignore: try message.ports(ifPresent: .ignore) ?? [],
      tcpKeepaliveNanoseconds: try message.nanoseconds(ifPresent: .tcpKeepalive, in: Limits.tcpKeepalives),
      udpKeepaliveNanoseconds: try message.nanoseconds(ifPresent: .udpKeepalive, in: Limits.udpKeepalives),
      udpKeepaliveTo: message[.udpKeepaliveTo],
      lingerNanoseconds: try message.nanoseconds(ifPresent: .linger, in: Limits.lingers),
      timers: try message.timers(ifPresent: .timers),
      silenceNanoseconds: try message.nanoseconds(ifPresent: .silence, in: Limits.silences))
  }
}

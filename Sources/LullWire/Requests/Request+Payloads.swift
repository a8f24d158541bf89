extension Request {
  package struct Register: Equatable, Sendable {
    package var name: String
    /// Only those that ``ProgramSettings`` describes for a registration.
    package var settings: ProgramSettings
    package var launch: LaunchTarget?
    package var profile: Profile?
    /// After a restart of the daemon the program goes on in this state: `active` or `background`.
    package var resume: ApplicationState?

    package init(
      name: String, _ settings: ProgramSettings = .init(), launch: LaunchTarget? = nil,
      profile: Profile? = nil, resume: ApplicationState? = nil
    ) {
      (self.name, self.settings) = (name, settings)
      (self.launch, self.profile, self.resume) = (launch, profile, resume)
    }
  }
}

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

extension Request {
  package struct Hold: Equatable, Sendable {
    package var descriptor: Int32
    package var type: LinePurpose?
    package var offload: Offload
    package var tcpKeepAlive: Interval?
    package var name: String?
    /// The keys of TLS die with the program: such a connection is never kept.
    package var isEncrypted: Bool

    /// Without a type the daemon takes the line for `voip`.
    package init(
      descriptor: Int32, type: LinePurpose? = nil, offload: Offload = [],
      tcpKeepAlive: Interval? = nil, name: String? = nil, isEncrypted: Bool = false
    ) {
      (self.descriptor, self.type, self.offload) = (descriptor, type, offload)
      (self.tcpKeepAlive, self.name, self.isEncrypted) = (tcpKeepAlive, name, isEncrypted)
    }
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

extension Request {
  /// The fields of `keepalive` when it sets a keep-alive.
  package struct KeepAlive: Equatable, Sendable {
    /// The longest time between two runs of the handler.
    package var timeout: Interval
    /// On CLOCK_BOOTTIME.
    package var lastRunNanoseconds: Int64?
    /// The handler was set at this moment of CLOCK_BOOTTIME, which counts until its first run.
    package var sinceNanoseconds: Int64?

    package init(timeout: Interval, lastRunNanoseconds: Int64? = nil, sinceNanoseconds: Int64? = nil) {
      (self.timeout, self.lastRunNanoseconds) = (timeout, lastRunNanoseconds)
      self.sinceNanoseconds = sinceNanoseconds
    }
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

extension Request {
  package struct Schedule: Equatable, Sendable {
    package var notification: LocalNotification
    package var date: FireDate
    package var repeats: RepeatRule?
    /// Nil: the machine's own.
    package var zone: String?

    package init(
      notification: LocalNotification, date: FireDate, repeats: RepeatRule? = nil, zone: String? = nil
    ) {
      (self.notification, self.date, self.repeats, self.zone) = (notification, date, repeats, zone)
    }
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
  package struct Run: Equatable, Sendable {
    /// Nil: the last part of the command's path.
    package var name: String?
    package var settings: ProgramSettings
    /// The command goes on after the connection is closed.
    package var detach: Bool
    /// Others write to the command's standard input, which wakes it then like a line.
    package var hasInput: Bool
    /// Nil for a command that a person at a terminal starts.
    package var launch: Launch?
    /// The command runs already: the daemon under which it was started has ended.
    package var returns: Bool

    package init(
      name: String? = nil, _ settings: ProgramSettings = .init(), detach: Bool = false,
      hasInput: Bool = false, launch: Launch? = nil, returns: Bool = false
    ) {
      (self.name, self.settings, self.detach, self.hasInput) = (name, settings, detach, hasInput)
      (self.launch, self.returns) = (launch, returns)
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

extension Request {
  /// What others started.
  package struct Adopt: Equatable, Sendable {
    package var kind: Vocabulary.Adopted
    /// Nil: the last part of its command's path.
    package var name: String?
    package var settings: ProgramSettings
    /// The name that its supervisor has for it, such as that of a unit.
    package var origin: String?
    /// It is watched as if it slept, and never held still.
    package var isDryRun: Bool

    package init(
      _ kind: Vocabulary.Adopted, name: String? = nil, _ settings: ProgramSettings = .init(),
      origin: String? = nil, isDryRun: Bool = false
    ) {
      (self.kind, self.name, self.settings, self.origin) = (kind, name, settings, origin)
      self.isDryRun = isDryRun
    }

    /// The command that lives by the same settings.
    package var run: Run { Run(name: name, settings, detach: true) }
  }
}

extension Request.Adopt: FieldGroup {
  package static var blank: Self { .init(.process) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      try fields.needed(.adopts, .word, value: kind),
      name: try fields.optional(.name, .programName, value: name),
      try settings.visited(by: &fields),
      origin: try fields.optional(.origin, .text, value: origin),
      isDryRun: try fields.flag(.dryRun, isDryRun))
  }
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

extension ExitStatus: Described {
  /// The status or the signal; an end that nobody learned has neither.
  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
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

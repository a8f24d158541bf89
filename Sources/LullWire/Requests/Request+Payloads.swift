extension Request {
  /// The fields of `register`.
  package struct Register: Equatable, Sendable {
    /// The program's name.
    package var name: String
    /// The modes in which the program may run in the background.
    package var modes: Modes
    /// The state in which the program starts.
    package var launch: LaunchTarget?
    /// True when the program is terminated where others are suspended.
    package var exitsOnSuspend: Bool
    /// The profile whose limits the program gets.
    package var profile: Profile?
    /// The time by which wakes may be put off to be handled together.
    package var batchWakes: Interval?
    /// The state in which the program goes on after a restart of the daemon: `active` or `background`.
    package var resume: ApplicationState?
    /// The schemes of the links that the program takes.
    package var schemes: [String]
    /// True when its memory is not given back while it sleeps.
    package var staysInMemory: Bool
    /// True when the lines of the program are kept after a crash.
    package var keepsLines: Bool
    /// True when the program may be ended when memory is short.
    package var isPurgeable: Bool

    /// Makes the fields; nil leaves the choice to the daemon.
    package init(
      name: String, modes: Modes = [], launch: LaunchTarget? = nil, exitsOnSuspend: Bool = false,
      profile: Profile? = nil, batchWakes: Interval? = nil, resume: ApplicationState? = nil,
      schemes: [String] = [], staysInMemory: Bool = false, keepsLines: Bool = false, isPurgeable: Bool = false
    ) {
      self.name = name
      self.modes = modes
      self.launch = launch
      self.exitsOnSuspend = exitsOnSuspend
      self.profile = profile
      self.batchWakes = batchWakes
      self.resume = resume
      self.schemes = schemes
      self.staysInMemory = staysInMemory
      self.keepsLines = keepsLines
      self.isPurgeable = isPurgeable
    }
  }

  /// The fields of `hold`.
  package struct Hold: Equatable, Sendable {
    /// The descriptor's number in the program.
    package var descriptor: Int32
    /// The purpose of the line.
    package var type: LinePurpose?
    /// The offload rule: what the daemon answers on the line while the program sleeps.
    package var offload: Offload
    /// The interval of the kernel's TCP keep-alive probes.
    package var tcpKeepAlive: Interval?
    /// The name of the line.
    package var name: String?
    /// True for a connection with TLS, whose keys die with the program: it is never kept.
    package var isEncrypted: Bool

    /// Makes the fields; without a type the daemon takes the line for `voip`.
    package init(
      descriptor: Int32, type: LinePurpose? = nil, offload: Offload = [],
      tcpKeepAlive: Interval? = nil, name: String? = nil, isEncrypted: Bool = false
    ) {
      self.descriptor = descriptor
      self.type = type
      self.offload = offload
      self.tcpKeepAlive = tcpKeepAlive
      (self.name, self.isEncrypted) = (name, isEncrypted)
    }
  }

  /// The fields of `keepalive` when it sets a keep-alive.
  package struct KeepAlive: Equatable, Sendable {
    /// The longest time between two runs of the handler.
    package var timeout: Interval
    /// The moment when the handler last ran, on CLOCK_BOOTTIME.
    package var lastRunNanoseconds: Int64?
    /// The moment when the handler was installed, on CLOCK_BOOTTIME; counts for a handler that has not run
    /// yet.
    package var sinceNanoseconds: Int64?

    /// Makes the fields.
    package init(timeout: Interval, lastRunNanoseconds: Int64? = nil, sinceNanoseconds: Int64? = nil) {
      self.timeout = timeout
      self.lastRunNanoseconds = lastRunNanoseconds
      self.sinceNanoseconds = sinceNanoseconds
    }
  }

  /// The fields of `schedule`.
  package struct Schedule: Equatable, Sendable {
    /// The notification that is shown.
    package var notification: LocalNotification
    /// The time at which it is shown.
    package var date: FireDate
    /// The rule by which it is shown again.
    package var repeats: RepeatRule?
    /// The time zone of that rule; nil for the machine's own.
    package var zone: String?

    /// Makes the fields.
    package init(
      notification: LocalNotification, date: FireDate, repeats: RepeatRule? = nil, zone: String? = nil
    ) {
      (self.notification, self.date, self.repeats, self.zone) = (notification, date, repeats, zone)
    }
  }

  /// The fields of `run`.
  package struct Run: Equatable, Sendable {
    /// The program's name; nil: the last part of the command's path.
    package var name: String?
    /// The modes in which the program may run in the background.
    package var modes: Modes
    /// The longest time that the command sleeps.
    package var keepAlive: Interval?
    /// True when the command goes on after the connection is closed.
    package var detach: Bool
    /// True when others write to the command's standard input, which wakes it then like a line.
    package var hasInput: Bool
    /// True when the command ends instead of being frozen.
    package var exitsOnSuspend: Bool
    /// The time by which wakes may be put off to be handled together.
    package var batchWakes: Interval?
    /// The ports, local or of the peer, of the only network sockets that wake the command; empty: all wake
    /// it.
    package var wakeOn: [UInt16]
    /// The ports, local or of the peer, of sockets that neither wake the command nor keep it awake.
    package var ignore: [UInt16]
    /// The interval of the kernel's TCP keep-alive probes while it sleeps.
    package var tcpKeepAlive: Interval?
    /// The interval of the daemon's keep-alive datagrams from its UDP sockets while it sleeps.
    package var udpKeepAlive: Interval?
    /// The destination of the datagrams of sockets without a peer: a numeric address and a port.
    package var udpKeepAliveTo: String?
    /// The time that the command stays awake for the answer after the last bytes that it sent on its own.
    package var linger: Interval?
    /// The limit on wakes for the command's own timers.
    package var timers: TimerRule
    /// The time that the command stays awake after its last audible moment.
    package var silence: Interval?
    /// The schemes of the links that the command takes.
    package var schemes: [String]
    /// True when its memory is not given back while it sleeps.
    package var staysInMemory: Bool
    /// True when the lines that it has in its sleep are kept after a crash.
    package var keepsLines: Bool
    /// True when the command may be ended when memory is short.
    package var isPurgeable: Bool
    /// The signal by which the command is warned when memory is short.
    package var memorySignal: Int32?
    /// The reason for which it is started, where that is not a person at a terminal.
    package var launch: Launch?
    /// True when the command runs already: the daemon under which it was started has ended.
    package var returns: Bool

    /// Makes the fields; nil leaves the choice to the daemon.
    package init(
      name: String? = nil, modes: Modes = [], keepAlive: Interval? = nil, detach: Bool = false,
      hasInput: Bool = false, exitsOnSuspend: Bool = false, batchWakes: Interval? = nil,
      wakeOn: [UInt16] = [], ignore: [UInt16] = [],
      tcpKeepAlive: Interval? = nil, udpKeepAlive: Interval? = nil,
      udpKeepAliveTo: String? = nil, linger: Interval? = nil, timers: TimerRule = .automatic,
      silence: Interval? = nil, schemes: [String] = [], staysInMemory: Bool = false,
      keepsLines: Bool = false, isPurgeable: Bool = false, memorySignal: Int32? = nil, launch: Launch? = nil,
      returns: Bool = false
    ) {
      self.name = name
      self.modes = modes
      self.keepAlive = keepAlive
      self.detach = detach
      self.hasInput = hasInput
      self.exitsOnSuspend = exitsOnSuspend
      self.batchWakes = batchWakes
      self.wakeOn = wakeOn
      self.ignore = ignore
      self.tcpKeepAlive = tcpKeepAlive
      self.udpKeepAlive = udpKeepAlive
      self.udpKeepAliveTo = udpKeepAliveTo
      self.linger = linger
      self.timers = timers
      self.silence = silence
      (self.schemes, self.staysInMemory) = (schemes, staysInMemory)
      (self.keepsLines, self.launch, self.returns) = (keepsLines, launch, returns)
      (self.isPurgeable, self.memorySignal) = (isPurgeable, memorySignal)
    }
  }
}

extension Request.Run {
  /// The modes that were given, and `voip` where a field asks for what only a program that sleeps by itself
  /// has. A keep-alive is for `voip` alone, what is about connections for `external-accessory` as well, and
  /// timers are for any mode.
  package var effectiveModes: Modes {
    let hasConnections = modes.contains(.voip) || modes.contains(.externalAccessory)
    let wantsConnections =
      !wakeOn.isEmpty || !ignore.isEmpty || tcpKeepAlive != nil || udpKeepAlive != nil
      || udpKeepAliveTo != nil || linger != nil
    let needsVoIP =
      keepAlive != nil || wantsConnections && !hasConnections || timers != .automatic && modes.isEmpty
    return needsVoIP ? modes.union(.voip) : modes
  }
}

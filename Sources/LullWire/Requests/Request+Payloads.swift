extension Request {
  package struct Register: Equatable, Sendable {
    package var name: String
    /// How it lives; of the settings only those that ``ProgramSettings`` describes for a registration.
    package var settings: ProgramSettings
    /// The state in which the program starts.
    package var launch: LaunchTarget?
    package var profile: Profile?
    /// The state in which the program goes on after a restart of the daemon: `active` or `background`.
    package var resume: ApplicationState?

    /// Nil leaves the choice to the daemon.
    package init(
      name: String, _ settings: ProgramSettings = .init(), launch: LaunchTarget? = nil,
      profile: Profile? = nil,
      resume: ApplicationState? = nil
    ) {
      (self.name, self.settings) = (name, settings)
      (self.launch, self.profile, self.resume) = (launch, profile, resume)
    }
  }

  package struct Hold: Equatable, Sendable {
    /// The descriptor's number in the program.
    package var descriptor: Int32
    package var type: LinePurpose?
    /// The offload rule: what the daemon answers on the line while the program sleeps.
    package var offload: Offload
    /// The interval of the kernel's TCP keep-alive probes.
    package var tcpKeepAlive: Interval?
    package var name: String?
    /// True for a connection with TLS, whose keys die with the program: it is never kept.
    package var isEncrypted: Bool

    /// Without a type the daemon takes the line for `voip`.
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

    package init(timeout: Interval, lastRunNanoseconds: Int64? = nil, sinceNanoseconds: Int64? = nil) {
      self.timeout = timeout
      self.lastRunNanoseconds = lastRunNanoseconds
      self.sinceNanoseconds = sinceNanoseconds
    }
  }

  package struct Schedule: Equatable, Sendable {
    package var notification: LocalNotification
    package var date: FireDate
    package var repeats: RepeatRule?
    /// The time zone of the rule; nil for the machine's own.
    package var zone: String?

    package init(
      notification: LocalNotification, date: FireDate, repeats: RepeatRule? = nil, zone: String? = nil
    ) {
      (self.notification, self.date, self.repeats, self.zone) = (notification, date, repeats, zone)
    }
  }

  package struct Run: Equatable, Sendable {
    /// The program's name; nil: the last part of the command's path.
    package var name: String?
    package var settings: ProgramSettings
    /// True when the command goes on after the connection is closed.
    package var detach: Bool
    /// True when others write to the command's standard input, which wakes it then like a line.
    package var hasInput: Bool
    /// The reason for which it is started, where that is not a person at a terminal.
    package var launch: Launch?
    /// True when the command runs already: the daemon under which it was started has ended.
    package var returns: Bool

    /// Nil leaves the choice to the daemon.
    package init(
      name: String? = nil, _ settings: ProgramSettings = .init(), detach: Bool = false,
      hasInput: Bool = false,
      launch: Launch? = nil, returns: Bool = false
    ) {
      (self.name, self.settings, self.detach, self.hasInput) = (name, settings, detach, hasInput)
      (self.launch, self.returns) = (launch, returns)
    }
  }
}

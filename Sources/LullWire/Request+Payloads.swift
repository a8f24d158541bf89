extension Request {
  /// What a program may do in the background.
  public enum Mode: String, CaseIterable, Sendable {
    case voip
    case audio
    case externalAccessory = "external-accessory"
  }

  /// Where a program starts.
  public enum Launch: String, CaseIterable, Sendable {
    case foreground
    case background
  }

  /// Whose limits a program gets.
  public enum Profile: String, CaseIterable, Sendable {
    case ios4
    case ios7
  }

  /// The state in which a program that was registered before goes on.
  public enum Resume: String, CaseIterable, Sendable {
    case active
    case background
  }

  /// What a held line is for.
  public enum LineType: String, CaseIterable, Sendable {
    case voip
    case accessory
  }

  /// What the daemon answers on a line while its program sleeps.
  public enum Offload: String, CaseIterable, Sendable {
    case line
    case crlf
    case udpKeepalive = "udp-keepalive"
    case stun
  }

  /// The fields of `register`.
  public struct Register: Equatable, Sendable {
    /// The program's name.
    public var name: String
    /// What it may do in the background.
    public var modes: [Mode]
    /// Where it starts.
    public var launch: Launch?
    /// Whether it is terminated where others are suspended.
    public var exitsOnSuspend: Bool
    /// Whose limits it gets.
    public var profile: Profile?
    /// How long wakes may be put off to be handled together.
    public var batchWakesNanoseconds: Int64?
    /// The state in which it goes on after a restart of the daemon.
    public var resume: Resume?

    /// Makes the fields; nil leaves the choice to the daemon.
    public init(
      name: String, modes: [Mode] = [], launch: Launch? = nil, exitsOnSuspend: Bool = false,
      profile: Profile? = nil, batchWakesNanoseconds: Int64? = nil, resume: Resume? = nil
    ) {
      self.name = name
      self.modes = modes
      self.launch = launch
      self.exitsOnSuspend = exitsOnSuspend
      self.profile = profile
      self.batchWakesNanoseconds = batchWakesNanoseconds
      self.resume = resume
    }
  }

  /// The fields of `hold`.
  public struct Hold: Equatable, Sendable {
    /// The descriptor's number in the program.
    public var descriptor: Int32
    /// What the line is for.
    public var type: LineType?
    /// What the daemon answers on it while the program sleeps.
    public var offload: [Offload]
    /// The interval of the kernel's TCP keep-alive probes.
    public var tcpKeepaliveNanoseconds: Int64?

    /// Makes the fields; without a type the daemon takes the line for `voip`.
    public init(
      descriptor: Int32, type: LineType? = nil, offload: [Offload] = [], tcpKeepaliveNanoseconds: Int64? = nil
    ) {
      self.descriptor = descriptor
      self.type = type
      self.offload = offload
      self.tcpKeepaliveNanoseconds = tcpKeepaliveNanoseconds
    }
  }

  /// The fields of `keepalive` when it sets one.
  public struct KeepAlive: Equatable, Sendable {
    /// The longest time between two runs of the handler.
    public var timeoutNanoseconds: Int64
    /// When the handler last ran, on CLOCK_BOOTTIME.
    public var lastRunNanoseconds: Int64?
    /// When it was installed, on CLOCK_BOOTTIME; counts for one that has not run yet.
    public var sinceNanoseconds: Int64?

    /// Makes the fields.
    public init(timeoutNanoseconds: Int64, lastRunNanoseconds: Int64? = nil, sinceNanoseconds: Int64? = nil) {
      self.timeoutNanoseconds = timeoutNanoseconds
      self.lastRunNanoseconds = lastRunNanoseconds
      self.sinceNanoseconds = sinceNanoseconds
    }
  }

  /// The fields of `present`.
  public struct Notification: Equatable, Sendable {
    /// The text.
    public var body: String
    /// The heading.
    public var title: String?
    /// The title of its action.
    public var action: String?

    /// Makes the fields.
    public init(body: String, title: String? = nil, action: String? = nil) {
      self.body = body
      self.title = title
      self.action = action
    }
  }

  /// The fields of `schedule`.
  public struct Schedule: Equatable, Sendable {
    /// When a notification is shown.
    public enum Time: Equatable, Sendable {
      /// Nanoseconds of the wall clock since 1970.
      case at(unixNanoseconds: Int64)
      /// So long after the request.
      case after(nanoseconds: Int64)
    }

    /// What is shown.
    public var notification: Notification
    /// When it is shown.
    public var time: Time
    /// The interval at which it is shown again.
    public var repeatNanoseconds: Int64?

    /// Makes the fields.
    public init(notification: Notification, time: Time, repeatNanoseconds: Int64? = nil) {
      self.notification = notification
      self.time = time
      self.repeatNanoseconds = repeatNanoseconds
    }
  }

  /// Which notifications `cancel` takes back.
  public enum Cancel: Equatable, Sendable {
    case notification(UInt64)
    case all
  }

  /// The fields of `run`.
  public struct Run: Equatable, Sendable {
    /// Without it: the last part of the command's path.
    public var name: String?
    /// What it may do in the background.
    public var modes: [Mode]
    /// The longest time that the command sleeps.
    public var keepAliveNanoseconds: Int64?
    /// Whether it goes on when the connection is closed.
    public var detach: Bool
    /// How long wakes may be put off to be handled together.
    public var batchWakesNanoseconds: Int64?
    /// Of its network sockets only those with one of these ports, local or of the peer, wake it; empty: all.
    public var wakeOn: [UInt16]
    /// Sockets with one of these ports, local or of the peer, neither wake it nor keep it awake.
    public var ignore: [UInt16]
    /// The interval of the kernel's TCP keep-alive probes while it sleeps.
    public var tcpKeepaliveNanoseconds: Int64?
    /// The interval of the daemon's keep-alive datagrams from its UDP sockets while it sleeps.
    public var udpKeepaliveNanoseconds: Int64?
    /// Where the datagrams of sockets without a peer go: a numeric address and a port.
    public var udpKeepaliveTo: String?
    /// How long after the last bytes that it sent on its own it stays awake for the answer.
    public var lingerNanoseconds: Int64?
    /// How often it is woken for its own timers.
    public var timers: Timers?
    /// How long it stays awake after the last that was heard of it.
    public var silenceNanoseconds: Int64?

    /// Makes the fields; nil leaves the choice to the daemon.
    public init(
      name: String? = nil, modes: [Mode] = [], keepAliveNanoseconds: Int64? = nil, detach: Bool = false,
      batchWakesNanoseconds: Int64? = nil, wakeOn: [UInt16] = [], ignore: [UInt16] = [],
      tcpKeepaliveNanoseconds: Int64? = nil, udpKeepaliveNanoseconds: Int64? = nil,
      udpKeepaliveTo: String? = nil, lingerNanoseconds: Int64? = nil, timers: Timers? = nil,
      silenceNanoseconds: Int64? = nil
    ) {
      self.name = name
      self.modes = modes
      self.keepAliveNanoseconds = keepAliveNanoseconds
      self.detach = detach
      self.batchWakesNanoseconds = batchWakesNanoseconds
      self.wakeOn = wakeOn
      self.ignore = ignore
      self.tcpKeepaliveNanoseconds = tcpKeepaliveNanoseconds
      self.udpKeepaliveNanoseconds = udpKeepaliveNanoseconds
      self.udpKeepaliveTo = udpKeepaliveTo
      self.lingerNanoseconds = lingerNanoseconds
      self.timers = timers
      self.silenceNanoseconds = silenceNanoseconds
    }
  }
}

extension Request.Run {
  /// The modes that were given, and `voip` where a field asks for what only a program that sleeps by itself
  /// has. A keep-alive is for `voip` alone; the rest serves `external-accessory` as well.
  public var effectiveModes: [Request.Mode] {
    let sleepsByItself = modes.contains(.voip) || modes.contains(.externalAccessory)
    let wantsSleep =
      !wakeOn.isEmpty || !ignore.isEmpty || tcpKeepaliveNanoseconds != nil || udpKeepaliveNanoseconds != nil
      || udpKeepaliveTo != nil || lingerNanoseconds != nil || timers != nil
    let needsVoIP = keepAliveNanoseconds != nil && !modes.contains(.voip)
    return needsVoIP || wantsSleep && !sleepsByItself ? modes + [.voip] : modes
  }
}

/// How a program lives: what `lull run`, the file of an installed program and a registration say of it.
///
/// LullWire describes each setting once, with its bounds; the options, the file, the wire and the ledger are
/// visitors of that description.
public struct ProgramSettings: Equatable, Sendable {
  /// The modes in which it may run in the background.
  public var modes: Modes = []
  /// The time-out of a command's keep-alive, which the command cannot set itself.
  public var keepAlive: Interval?
  /// The shortest time between two fetches of a command, which the command cannot set itself.
  public var fetch: Interval?
  /// True when it ends where others are suspended (`UIApplicationExitsOnSuspend`).
  public var exitsOnSuspend = false
  /// Over the wake budget, at most one wake in this time; nil never delays a wake.
  public var batchWakes: Interval?
  /// The ports, local or of the peer, of the only network sockets that wake it; empty: all wake it.
  public var wakeOn: [UInt16] = []
  /// The ports, local or of the peer, of sockets that neither wake it nor keep it awake.
  public var ignore: [UInt16] = []
  /// The peers whose connections neither wake it nor keep it awake.
  public var ignoredPeers: [PeerRange] = []
  /// The questions of these peers that are answered for it while it sleeps.
  public var probes: [ProbeRule] = []
  /// The interval of the kernel's TCP keep-alive probes while it sleeps.
  public var tcpKeepAlive: Interval?
  /// The interval of the daemon's keep-alive datagrams from its UDP sockets while it sleeps.
  public var udpKeepAlive: Interval?
  /// The destination of the datagrams of sockets without a peer: a numeric address and a port.
  public var udpKeepAliveTo: String?
  /// The time for which it stays awake after its start, and for an answer to what it sent on its own; nil
  /// takes the policy's.
  public var linger: Interval?
  /// The rule for its wakes for its own timers.
  public var timers = TimerRule.automatic
  /// The accessories that wake it, in the mode `external-accessory`; empty: all do.
  public var accessories: [Accessory] = []
  /// The time for which it stays awake after its last audible moment; nil takes the policy's.
  public var silence: Interval?
  /// The schemes of the links that it takes.
  public var schemes: [String] = []
  /// True when its memory is not given back while it sleeps.
  public var staysInMemory = false
  /// True when the lines that it has in its sleep are kept after a crash.
  public var keepsLines = false
  /// True when it may be ended when memory is short.
  public var isPurgeable = false
  /// So much of one processor it may use in the background while nothing keeps it awake, in percent.
  public var processorPercent: Int32?
  /// The number of the signal by which a command that runs is warned when memory is short.
  public var memorySignal: Int32?

  /// The defaults, changed by `change`.
  public init(_ change: (_ settings: inout ProgramSettings) -> Void = { _ in }) { change(&self) }

  /// The modes that were given, and `voip` where a setting asks for what only a program that sleeps by itself
  /// has. A keep-alive is for `voip` alone, what is about connections for any mode but `audio` as well, and
  /// timers are for any mode. A fetch is for the mode `fetch`, and accessories are for `external-accessory`.
  public var effectiveModes: Modes {
    let hasConnections = !modes.subtracting(.audio).isEmpty
    let wantsConnections =
      !wakeOn.isEmpty || !ignore.isEmpty || !ignoredPeers.isEmpty || tcpKeepAlive != nil
      || udpKeepAlive != nil || udpKeepAliveTo != nil || linger != nil
    let needsVoIP =
      keepAlive != nil || wantsConnections && !hasConnections || timers != .automatic && modes.isEmpty
    return modes.union(needsVoIP ? .voip : []).union(fetch == nil ? [] : .fetch)
      .union(accessories.isEmpty ? [] : .externalAccessory)
  }
}

/// The bounds of the settings.
extension Bounds {
  /// The shortest time between two wakes of a sleeper for its own timers.
  public static let timerFloors = Interval.seconds(5)...longest
  /// The interval of the kernel's probes of an idle TCP connection.
  public static let tcpKeepAlives = Interval.seconds(1)...Interval.seconds(32_767)
  /// The interval of the keep-alive datagrams of UDP sockets.
  public static let udpKeepAlives = Interval.seconds(5)...Interval.seconds(86_400)
  /// The time for which a command stays awake for an answer.
  public static let lingers = Interval.seconds(1)...Interval.seconds(3600)
  /// The hangover that the owner of the machine may set for a program.
  public static let silences = Interval.zero...Interval.seconds(3600)
  /// The buffer of a program that plays through Lull's ALSA device.
  public static let deepBuffers = Interval.seconds(2)...Interval.seconds(ringSeconds)
  /// The time for which wakes may be put off to be handled together.
  public static let wakeBatches = Interval.zero...longest
}

/// A background mode that a program declares (Background Execution, Table 3-1).
public struct Modes: WordSet, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// The modes with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The program provides Voice over IP: its lines are watched and its keep-alive handler runs.
  public static let voip = Modes(rawValue: 1)
  /// The program plays or records sound in the background.
  public static let audio = Modes(rawValue: 2)
  /// The program works with an accessory that delivers updates.
  public static let externalAccessory = Modes(rawValue: 4)
  /// The program looks for new content from time to time.
  public static let fetch = Modes(rawValue: 8)
  /// The program is handed what others push to it.
  public static let remoteNotification = Modes(rawValue: 16)
  /// The program follows where the machine is.
  public static let location = Modes(rawValue: 32)
  /// The program works with devices of Bluetooth Low Energy.
  public static let bluetoothCentral = Modes(rawValue: 64)
  /// The program is a device of Bluetooth Low Energy for others.
  public static let bluetoothPeripheral = Modes(rawValue: 128)

  /// Every mode with its word.
  public static let all: [(member: Modes, word: String)] = [
    (.voip, "voip"), (.audio, "audio"), (.externalAccessory, "external-accessory"),
    (.fetch, "fetch"), (.remoteNotification, "remote-notification"),
    (.location, "location"), (.bluetoothCentral, "bluetooth-central"),
    (.bluetoothPeripheral, "bluetooth-peripheral"),
  ]
}

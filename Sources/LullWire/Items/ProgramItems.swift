package struct ProgramItem: DescribedItem {
  package static let itemKind = ItemKind.program

  package var name = ""
  package var state = OpenWord(ApplicationState.notRunning)
  package var modes: [String] = []
  package var pids: [Int64] = []
  package var cgroup = ""
  package var asleepSeconds = 0.0
  package var awakeSeconds = 0.0
  package var wakes: Int64 = 0
  /// Nil for a program that is not managed.
  package var managed: OpenWord<Vocabulary.Management>?
  /// What was adopted, and the name that its supervisor has for it; nil for any other program.
  package var adopts: OpenWord<Vocabulary.Adopted>?
  package var origin: String?
  /// It is watched, and never held still.
  package var isDryRun = false
  package var isOverBudget = false
  /// The hangover in seconds that `--silence` has set.
  package var silenceSeconds: Double?
  package var isPurgeable = false
  /// Nil where the daemon does not know it.
  package var processorSeconds: Double?
  /// Between the last two sleeps.
  package var wakeProcessorSeconds: Double?
  /// Nil where the daemon does not know it.
  package var residentBytes: Int64?
  /// Before memory was given back the last time, and right after.
  package var residentBytesBefore: Int64?
  package var residentBytesAfter: Int64?
  package var staysInMemory = false

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.state, .openWord(), value: &state)
    try fields.needed(.modes, .list, value: &modes)
    try fields.needed(.pids, .integers, value: &pids)
    try fields.needed(.cgroup, .text, value: &cgroup)
    try fields.needed(.asleepSeconds, .decimal, value: &asleepSeconds)
    try fields.needed(.awakeSeconds, .decimal, value: &awakeSeconds)
    try fields.needed(.wakes, .integer, value: &wakes)
    try fields.optional(.managed, .openWord(), value: &managed)
    try fields.optional(.adopts, .openWord(), value: &adopts)
    try fields.optional(.origin, .text, value: &origin)
    try fields.flag(.dryRun, &isDryRun)
    try fields.flag(.overBudget, &isOverBudget)
    try fields.optional(.silence, .decimal, value: &silenceSeconds)
    try fields.flag(.purgeable, &isPurgeable)
    try fields.optional(.processorSeconds, .decimal, value: &processorSeconds)
    try fields.optional(.wakeProcessorSeconds, .decimal, value: &wakeProcessorSeconds)
    try fields.optional(.resident, .integer, value: &residentBytes)
    try fields.optional(.residentBefore, .integer, value: &residentBytesBefore)
    try fields.optional(.residentAfter, .integer, value: &residentBytesAfter)
    try fields.flag(.noCompact, &staysInMemory)
  }
}

package struct LeaseItem: DescribedItem {
  package static let itemKind = ItemKind.lease

  package var program = ""
  package var kind = OpenWord(LeaseKind.wake)
  package var endsInSeconds: Double?
  package var task: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.lease, .openWord(), value: &kind)
    try fields.optional(.endsInSeconds, .decimal, value: &endsInSeconds)
    try fields.optional(.task, .text, value: &task)
  }
}

/// A line: a connection, a listening socket or another descriptor that wakes the program.
package struct LineItem: DescribedItem {
  package static let itemKind = ItemKind.line

  package var program = ""
  package var id: UInt64 = 0
  package var kind = OpenWord(LineKind.other)
  /// The number of descriptors in the epoll set that the line stands for.
  package var connections: Int64?
  package var local = ""
  package var peer = ""
  package var unread: Int64?
  package var offload: [String]?
  package var answered: Int64?
  package var pid: Int64?
  package var fd: Int64?
  /// The line has long been readable and is not read: only new bytes on it wake the program.
  package var isDisregarded = false
  /// The name that the program gave the line; only of one that is kept.
  package var name: String?
  /// The program has ended, and the line is kept for its next start.
  package var isKept = false
  /// The time from which it is kept, in seconds since 1970.
  package var since: Double?

  package init() {}

  /// The line stands for all descriptors of an epoll set.
  package var isSet: Bool { kind.known == .set }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.id, .unsigned, value: &id)
    try fields.needed(.line, .openWord(), value: &kind)
    try fields.optional(.connections, .integer, value: &connections)
    try fields.needed(.local, .text, value: &local)
    try fields.needed(.peer, .text, value: &peer)
    try fields.optional(.unread, .integer, value: &unread)
    try fields.optional(.offload, .list, value: &offload)
    try fields.optional(.answered, .integer, value: &answered)
    try fields.optional(.pid, .integer, value: &pid)
    try fields.optional(.fd, .integer, value: &fd)
    try fields.flag(.disregarded, &isDisregarded)
    try fields.optional(.name, .text, value: &name)
    try fields.flag(.kept, &isKept)
    try fields.optional(.since, .decimal, value: &since)
  }
}

package struct KeepAliveItem: DescribedItem {
  package static let itemKind = ItemKind.keepalive

  package var program = ""
  package var timeoutSeconds = 0.0
  package var dueInSeconds = 0.0
  package var runs: Int64 = 0

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.timeoutSeconds, .decimal, value: &timeoutSeconds)
    try fields.needed(.dueInSeconds, .decimal, value: &dueInSeconds)
    try fields.needed(.runs, .integer, value: &runs)
  }
}

/// The earliest of a sleeping command's own timers.
package struct TimerItem: DescribedItem {
  package static let itemKind = ItemKind.timer

  package var program = ""
  /// Negative once the first timer is due. Nil: no timer can be read.
  package var dueInSeconds: Double?
  /// There may be timers whose time cannot be read.
  package var isHidden = false
  /// Seconds until the command's signals are looked at for them, at the latest.
  package var lookInSeconds: Double?
  /// The shortest time between two wakes for the command's timers; nil: it is not woken for them.
  package var floorSeconds: Double?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.optional(.dueInSeconds, .decimal, value: &dueInSeconds)
    try fields.flag(.hidden, &isHidden)
    try fields.optional(.lookInSeconds, .decimal, value: &lookInSeconds)
    try fields.optional(.floorSeconds, .decimal, value: &floorSeconds)
  }
}

/// The last wake of a program.
package struct WakeItem: DescribedItem {
  package static let itemKind = ItemKind.wake

  package var program = ""
  package var reason = OpenWord(WakeReason.data)
  package var line: UInt64?
  /// The sender of the datagram, or the peer of the connection.
  package var peer: String?
  package var waitedMicroseconds: Int64?
  package var agoSeconds = 0.0

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.reason, .openWord(), value: &reason)
    try fields.optional(.line, .unsigned, value: &line)
    try fields.optional(.waitedMicroseconds, .integer, value: &waitedMicroseconds)
    try fields.needed(.agoSeconds, .decimal, value: &agoSeconds)
    try fields.optional(.peer, .text, value: &peer)
  }
}

/// The last sleep of a program, and the refusal of the last attempt since.
package struct SleepItem: DescribedItem {
  package static let itemKind = ItemKind.sleep

  package var program = ""
  package var agoSeconds: Double?
  package var refused: OpenWord<FreezeRefusal>?
  /// The obstacle, such as a thread or a descriptor.
  package var detail: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.optional(.agoSeconds, .decimal, value: &agoSeconds)
    try fields.optional(.refused, .openWord(), value: &refused)
    try fields.optional(.detail, .text, value: &detail)
  }
}

/// How often a program of that name was purged, as far as the journal goes back.
package struct PurgeItem: DescribedItem {
  package static let itemKind = ItemKind.purge

  package var program = ""
  package var count: Int64 = 0
  /// Since the last purge.
  package var agoSeconds = 0.0

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.count, .integer, value: &count)
    try fields.needed(.agoSeconds, .decimal, value: &agoSeconds)
  }
}

/// How often one thing has woken a program or kept it awake, since it came under the daemon.
package struct TallyItem: DescribedItem {
  package static let itemKind = ItemKind.tally

  package var program = ""
  package var what = OpenWord(Vocabulary.Tallied.wake)
  /// The reason of the wakes or of the refusals; `other` for what there are too many of.
  package var reason = ""
  /// The address of who woke it, without the port.
  package var peer: String?
  package var count: Int64 = 0
  /// The time for which it stayed awake therefore.
  package var seconds: Double?
  /// The obstacle that was found last.
  package var detail: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.what, .openWord(), value: &what)
    try fields.needed(.reason, .text, value: &reason)
    try fields.optional(.peer, .text, value: &peer)
    try fields.needed(.count, .integer, value: &count)
    try fields.optional(.seconds, .decimal, value: &seconds)
    try fields.optional(.detail, .text, value: &detail)
  }
}

package struct SessionItem: DescribedItem {
  package static let itemKind = ItemKind.session

  package var program = ""
  package var id: UInt64 = 0
  package var category = OpenWord(AudioCategory.playback)
  package var direction = OpenWord(AudioDirection.play)
  package var rate: Int64 = 0
  package var channels: Int64 = 0
  package var format = OpenWord(SampleFormat.s16)
  package var state = OpenWord(SessionState.idle)
  package var order = OpenWord(AudioOrder.play)
  package var mixes = false
  /// In the last two seconds.
  package var isAudible = false
  /// The loudness of the last tenth of a second in dB; nil for silence.
  package var level: Double?
  package var queuedSeconds: Double?
  package var starved: Int64 = 0
  package var device = ""
  /// The device that was asked for, where it is another one.
  package var wantedDevice: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.program, .text, value: &program)
    try fields.needed(.session, .unsigned, value: &id)
    try fields.needed(.category, .openWord(), value: &category)
    try fields.needed(.direction, .openWord(), value: &direction)
    try fields.needed(.rate, .integer, value: &rate)
    try fields.needed(.channels, .integer, value: &channels)
    try fields.needed(.format, .openWord(), value: &format)
    try fields.needed(.state, .openWord(), value: &state)
    try fields.needed(.order, .openWord(), value: &order)
    try fields.flag(.mix, &mixes)
    try fields.flag(.audible, &isAudible)
    try fields.optional(.level, .decimal, value: &level)
    try fields.optional(.queuedSeconds, .decimal, value: &queuedSeconds)
    try fields.usual(.starved, .integer(0), value: &starved)
    try fields.needed(.device, .text, value: &device)
    try fields.optional(.output, .text, value: &wantedDevice)
  }
}

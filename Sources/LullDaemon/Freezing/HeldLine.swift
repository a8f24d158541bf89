import LullChannel
import LullEngine
import LullInspect
import LullSystem

/// A line that the program declared, or that was found in a command: a descriptor that a thread waits for, or
/// an epoll set. The duplicate of a descriptor exists only while the program is frozen. The duplicate of a
/// set is kept, since a set holds none of its files open. A HeldLine never leaves `WakeSources`.
final class HeldLine {
  let id: LineID
  let app: AppID
  /// The number in the process that holds the descriptor.
  var number: Int32
  var owner: DescriptorBox
  let identity: FileIdentity
  var description: LineDescription
  let offload: Offload
  let slot: Slot
  var duplicate: DescriptorBox?
  var registration: Slot?
  var found: Found?
  let epollSet: EpollSet?

  struct Found {
    let key: FileKey
    var pid: Int32
    /// Nil when the last observation has not come to the descriptor.
    var role: WakeSource.Role?
    var interest: Interest
    /// True when the descriptor was ready although its set was not: the program was told, and the set reports
    /// only new events.
    var wasTold = false
    /// True when, as far as is known, only the program itself can make the descriptor ready.
    var isInside = false
    var outerSet: LineID?
    /// True when bytes were left unread for so long that the line neither keeps the command awake nor wakes
    /// it.
    var isDisregarded = false
    /// The trace of the unread bytes at that time. An edge-triggered watch fires once for bytes that are
    /// there when it begins.
    var oldNews: UInt64?
    var hasKeepAlive = false
    var lastSender: SocketAddress?
    /// The sender of the datagram that woke the program.
    var newSender: SocketAddress?
    var queue = Queue()
    /// The bytes that had come when the sleep of a dry run began.
    var received: Int64?
  }

  /// The queue of a listening socket that is looked at before it wakes the program, while that sleeps.
  struct Queue {
    /// The look that is under way.
    var look: UInt64?
    /// Somebody has come since that look began.
    var isStale = false
    /// So many connections at the head of the queue may be taken.
    var probes = 0
  }

  init(
    id: LineID, app: AppID, number: Int32, owner: DescriptorBox, identity: FileIdentity,
    description: LineDescription, offload: Offload, slot: Slot, set: EpollSet? = nil
  ) {
    (self.id, self.app, self.number, self.owner) = (id, app, number, owner)
    (self.identity, self.description, self.offload) = (identity, description, offload)
    (self.slot, epollSet) = (slot, set)
  }

  /// True when the line's own descriptor is watched while the program sleeps. The members of a small set are
  /// watched beside their set, so that a wake names the connection. A member that is ready although its set
  /// is not has been told already.
  var isWatched: Bool { epollSet == nil && found?.wasTold != true }

  /// The events that end the wait on the line. The watch is level-triggered, so that bytes that came before
  /// it are seen. It is one-shot, so that a slow program does not make the daemon spin.
  var interest: Interest {
    guard let found else { return [.readable, .readHangUp, .oneShot] }
    return found.interest.union(.oneShot)
  }
}

extension LineDescription {
  /// For example `udp 127.0.0.1:5060`.
  var text: String {
    let word = kind.rawValue
    // The client's end of a Unix socket has no name of its own.
    let isUnnamed = local.isEmpty || local == "unnamed"
    let name = isUnnamed ? peer : local
    return name.isEmpty ? word : "\(word) \(name)"
  }
}

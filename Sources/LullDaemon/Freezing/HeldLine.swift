import LullEngine
import LullSystem
import LullWire

/// A descriptor that the program declared as a line, or that was found in a command: one that a thread waits
/// for, or an epoll set. The duplicate of a descriptor exists only while the program is frozen; that of a set
/// is kept, since a set holds none of its files open.
final class HeldLine {
  let id: LineID
  /// The descriptor's number in the process that holds it.
  var number: Int32
  var owner: DescriptorBox
  let identity: FileIdentity
  /// A socket that was found before it was bound or connected is described again.
  var description: LineDescription
  let kind: LineKind
  let offload: Offload
  let slot: Int
  let generation: UInt32
  var duplicate: DescriptorBox?
  weak var program: Program?
  /// Set for one that was found in a command.
  var found: Found?
  /// Set for an epoll set.
  let epollSet: EpollSet?

  /// What is known of a descriptor that was found.
  struct Found {
    let key: FileKey
    /// The process in which it was found last.
    var pid: Int32
    /// How the program came to look at it when it was frozen last; nil when it did not.
    var role: WakeSource.Role?
    /// What is waited for there.
    var interest: Interest
    /// Ready at the look although its set was not: the program was told of it, and the set tells what is new.
    var wasTold = false
    /// As far as is known only the program itself can make it ready.
    var isInside = false
    /// The set in which it was found last.
    var set: EpollSet?
    /// Left unread for so long that it neither keeps the command awake nor wakes it.
    var isDisregarded = false
    /// What was unread then. An edge-triggered watch tells once of what is there when it begins.
    var oldNews: UInt64?
    var hasKeepAlive = false
    var lastSender: SocketAddress?
    /// Whose datagram woke the program.
    var newSender: SocketAddress?
  }

  init(
    id: LineID, number: Int32, owner: DescriptorBox, identity: FileIdentity, description: LineDescription,
    kind: LineKind, offload: Offload, slot: Int, generation: UInt32, program: Program, set: EpollSet? = nil
  ) {
    self.id = id
    self.number = number
    self.owner = owner
    self.identity = identity
    self.description = description
    self.kind = kind
    self.offload = offload
    self.slot = slot
    self.generation = generation
    self.program = program
    epollSet = set
  }

  /// The line in words: "udp 127.0.0.1:5060".
  var text: String { Self.text(description) }

  static func text(_ description: LineDescription) -> String {
    let word = Vocabulary.LineKind(description.kind).rawValue
    // The client's end of a Unix socket has no name of its own.
    let isUnnamed = description.local.isEmpty || description.local == "unnamed"
    let name = isUnnamed ? description.peer : description.local
    return name.isEmpty ? word : "\(word) \(name)"
  }

  var token: Token { Token(.line, slot: slot, generation: generation) }

  /// Whether its own descriptor is watched while the program sleeps. The members of a small set are, beside
  /// their set, so that a wake names the connection; one that is ready although its set is not has been told
  /// already.
  var isWatched: Bool { epollSet == nil && found?.wasTold != true }

  /// What ends the wait there. Level-triggered, so that what came before the watch is seen; one-shot, so that
  /// a program that takes its time does not make the daemon spin.
  var interest: Interest {
    guard let found else { return [.readable, .readHangUp, .oneShot] }
    return found.interest.union(.oneShot)
  }
}

/// By what a file that was found is known again: sockets, pipes and devices by their own identity, what has
/// no name by its number.
enum FileKey: Hashable {
  case file(FileIdentity)
  case number(Int32, of: Int32)

  init(_ status: FileStatus, number: Int32, of pid: Int32) {
    switch status.shape {
    case .socket, .pipe: self = .file(status.identity)
    case .characterDevice, .anonymous, .stored: self = .number(number, of: pid)
    }
  }
}

/// An epoll set of a command. Its kept duplicate becomes readable exactly when the command's own epoll_wait
/// would return, whatever the command asked for.
final class EpollSet {
  let number: Int32
  let pid: Int32
  let duplicate: DescriptorBox
  /// How many descriptors were in it when it was read last, and how many its process had open then.
  private var counted = 0, open: Int?
  /// More members than are looked at one by one.
  var isLarge = false
  /// Its members are watched in its place: a timer, a signalfd or something of the supervisor's would make it
  /// ready for the wrong reason, or ports are chosen among them.
  var fallsBack = false
  /// It holds a signalfd, which shows the signals of whoever polls: polling it would take the news from the
  /// program.
  var holdsSignals = false
  /// It has members that are reported once (edge-triggered, one-shot): a thread that was cut off may have
  /// such a report in its hands.
  var tellsOnce = false
  /// Something outside can make it ready.
  var reach = WakeSource.Reach.inside
  /// In the daemon's own epoll set.
  var isRegistered = false
  var isArmed = false
  /// What the last look found.
  var isReady = false
  /// Looks since the members of a large set were read.
  var looks = 0

  /// Up to so many members are looked at one by one, so that a wake names the connection.
  static let fewMembers = 64
  /// Up to so many members are read in less than a millisecond.
  static let cheapMembers = 1024
  /// The members of a large set are read again after so many looks.
  static let looksBetweenReadings = 256

  /// How many descriptors are in it. What its process has opened and closed since it was read counts as
  /// members: to read a large set takes milliseconds.
  var count: Int {
    guard isLarge, let open, let now = Process.openFileCount(of: pid) else { return counted }
    return max(0, counted + now - open)
  }

  /// What was read of a large set may hold no longer: it has become small, or it is cheap to read and has
  /// changed.
  var hasChanged: Bool {
    let now = count
    return now <= Self.fewMembers || (now <= Self.cheapMembers && now != counted)
  }

  func read(_ members: Int) { (counted, open) = (members, Process.openFileCount(of: pid)) }

  func isNumber(_ number: Int32, of pid: Int32) -> Bool { self.number == number && self.pid == pid }

  init(number: Int32, pid: Int32, duplicate: DescriptorBox) {
    (self.number, self.pid, self.duplicate) = (number, pid, duplicate)
  }
}

import LullEngine
import LullInspect
import LullSystem

struct ObservedProgram {
  let id: AppID
  let pid: Int32
  let pidfd: DescriptorBox
  let hasLeader: Bool
  let suspender: Suspender
  /// True for a command, which is put to sleep whenever it is idle; a program on the library says when it is
  /// done.
  let sleepsByItself: Bool
  let hasUDPKeepAlive: Bool
  let command: CommandRules?
  /// The inodes of the doorbells of the program's audio sessions.
  let doorbells: [UInt64]
  /// What lull-audio knows of the streams that the program plays straight to a sound server.
  let sound: StraightSound
  /// True when a process of the program has asked the daemon something and has no answer yet.
  let isAsking: Bool
  /// The time since a signal was sent that may still be pending, in nanoseconds.
  let signalledSince: Int64?
  let known: KnownFiles
}

/// The memory of a program from one observation to the next.
final class ObserverMemory {
  /// The waits of the program's threads, by process.
  var waits: [Int32: WaitMemory] = [:]
  /// The signals for descriptors, by process.
  var raising: [Int32: RaisingFacts] = [:]
  /// The processes in which a thread waits for a signalfd.
  var signalReaders: Set<Int32> = []
  /// Connections that lead outside, by inode.
  var outerSockets: Set<UInt64> = []
  /// Ports on which the program listens or has listened.
  var servedPorts: [UInt16] = []
  var soundClients: [SoundClient] = []
  /// The sound servers behind connections, by inode; nil for one that leads elsewhere.
  var soundServers: [UInt64: SoundServer?] = [:]
  /// The standard streams that the program was given; nil when a daemon before this one gave them.
  var standardStreams: [FileIdentity]?
}

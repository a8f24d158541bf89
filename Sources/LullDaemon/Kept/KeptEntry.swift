import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// A line that outlives its program, with its duplicate. It never leaves the folder of `KeptLines`.
final class KeptEntry {
  enum Standing {
    /// The program runs, and may crash; the program's own line, where it declared one.
    case standby(AppID, LineID?)
    /// The program is being ended to be started again: the line stays, also when the program closes its own.
    case parting(AppID, LineID?)
    /// The line came from the daemon before this one: its program has until then to declare it anew.
    case orphaned(until: Int64)
    /// No program has the line. It is watched, or something has come on it.
    case waiting
    /// It was given to the process that is about to start the program.
    case handed(until: Int64)
    /// The program runs with it, and has until then to prove that it goes on.
    case started(until: Int64)
  }

  var record: KeptLine
  let descriptor: DescriptorBox
  let identity: FileIdentity
  let description: LineDescription
  var standing: Standing
  /// The command that sleeps with a line which was held before.
  var sleeper: AppID?
  /// True for a line of a command that has got it back, and has neither slept nor lived for long since.
  var isUnproven = false
  var registration: Slot?

  init(_ record: KeptLine, _ copy: LineCopy, as standing: Standing) {
    (self.record, descriptor, identity) = (record, copy.descriptor, copy.identity)
    (description, self.standing) = (copy.description, standing)
  }

  /// The line in words, for example `tcp 127.0.0.1:10322 from 127.0.0.1:5060`.
  var text: String { description.text + (description.peer.isEmpty ? "" : " from \(description.peer)") }

  /// True for a line that the next start of its program may have. While that starts, no other one runs.
  var isOffered: Bool {
    switch standing {
    case .waiting, .handed, .orphaned: true
    case .standby, .parting, .started: false
    }
  }

  /// True for a line of a former life that its program has not taken yet.
  var awaitsProgram: Bool {
    switch standing {
    case .waiting, .handed, .started: true
    case .standby, .parting, .orphaned: false
    }
  }

  /// True for the duplicate of a line that its program, which runs, has declared.
  func isOwn(_ line: LineID, of id: AppID) -> Bool {
    switch standing {
    case .standby(id, line), .parting(id, line): true
    case .standby, .parting, .orphaned, .waiting, .handed, .started: false
    }
  }

  /// True when something has come on it, or its peer is gone.
  var isReadable: Bool {
    ((try? Socket.poll(descriptor.raw, [.readable, .readHangUp], timeoutMilliseconds: 0)) ?? []) != []
  }

  /// The time in which its program proves that it goes on with the line, in nanoseconds.
  func provingTime(_ policy: Policy) -> Int64 {
    (record.purpose == nil ? policy.keptProvingTime : policy.keptTakingTime).nanoseconds
  }
}

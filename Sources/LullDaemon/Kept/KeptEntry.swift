import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// A line that outlives its program, with its duplicate. It never leaves the folder of `KeptLines`.
final class KeptEntry {
  enum State {
    /// The program runs, and may crash; the program's own line, where it declared one.
    case standby(AppID, LineID?)
    /// The program is being ended to be started again: the line stays, also when the program closes its own.
    case parting(AppID, LineID?)
    /// The line came from the daemon before this one: its program has until then to declare it anew.
    case orphaned(until: Int64)
    /// No program has the line.
    case waiting
    case handed(until: Int64)
    /// The program runs with the line, and has until then to prove that it goes on.
    case started(until: Int64)
  }

  var record: KeptLine
  let descriptor: DescriptorBox
  let identity: FileIdentity
  private let described: LineDescription
  var state: State
  /// The command that sleeps with a line which was kept from its last life.
  var sleeper: AppID?
  /// True for a line of a command that got it back, and has neither slept nor lived for long since.
  var isUnproven = false
  var registration: Slot?

  init(_ record: KeptLine, _ copy: LineCopy, as state: State) {
    (self.record, descriptor, identity) = (record, copy.descriptor, copy.identity)
    (described, self.state) = (copy.description, state)
  }

  /// The line may have been declared before it was connected.
  var description: LineDescription { Socket.describe(descriptor.raw, known: described) }

  /// For example `tcp 127.0.0.1:10322 from 127.0.0.1:5060`.
  var text: String { description.text + (description.peer.isEmpty ? "" : " from \(description.peer)") }

  /// True for a line that the next start of its program may have. While that starts, no other one runs.
  var isOffered: Bool {
    switch state {
    case .waiting, .handed, .orphaned: true
    case .standby, .parting, .started: false
    }
  }

  /// True for a line of an earlier life of its program, which has not taken it yet.
  var awaitsProgram: Bool {
    switch state {
    case .waiting, .handed, .started: true
    case .standby, .parting, .orphaned: false
    }
  }

  /// True for the duplicate of a line that its running program has declared.
  func isOwn(_ line: LineID, of id: AppID) -> Bool {
    switch state {
    case .standby(id, line), .parting(id, line): true
    case .standby, .parting, .orphaned, .waiting, .handed, .started: false
    }
  }

  /// Something has come on the line, or its peer is gone.
  var isReadable: Bool {
    ((try? Socket.poll(descriptor.raw, [.readable, .readHangUp], timeoutMilliseconds: 0)) ?? []) != []
  }

  /// In nanoseconds.
  func provingTime(_ policy: Policy) -> Int64 {
    (record.purpose == nil ? policy.keptProvingTime : policy.keptTakingTime).nanoseconds
  }
}

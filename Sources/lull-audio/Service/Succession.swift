import LullAudio
import LullChannel
import LullSystem

/// The sessions that go from one lull-audio to the next in an upgrade: those that this one takes over, and
/// those that it gives up.
final class Succession {
  /// The inode of the ring of each session, by which the two know it.
  private var rings: [UInt64: UInt64] = [:]
  /// The lull-audio that takes over, once lulld has named it.
  private var heir: Heir?
  /// The session that it was given last has not been confirmed; the value tells whether it waits for that.
  private var isWaitedFor = false
  /// The lull-audio whose sessions are taken over.
  private var former: Former?
  let ahead = OpenedAhead()

  init(former: DescriptorBox?) { self.former = former.map(Former.init) }

  func begin(_ id: UInt64, ring: UInt64) { rings[id] = ring }

  func end(_ id: UInt64) { rings[id] = nil }

  // MARK: After another lull-audio

  /// Takes a session over before it is begun. Its device is opened first where it can be opened twice, so
  /// that the gap is hardly longer than a message and its answer. `isOpen`: it is open already; nil: it
  /// captures.
  func takeOver(_ request: SessionRequest, ring: UInt64, on device: String, isOpen: Bool?) {
    guard let former else { return }
    let isReady = isOpen.map { $0 || ahead.open(device, for: request) } ?? false
    if !former.take(ring, device: isReady ? device : nil) { self.former = nil }
  }

  /// Closes what was opened and is not needed, once nothing is left to be taken.
  func settle() { if former == nil { ahead.close() } }

  // MARK: Before another lull-audio

  /// Plays on for the lull-audio at the other end. Without it this process ends with lulld, and the sessions
  /// begin anew.
  func linger<Source>(for socket: DescriptorBox, in reactor: Reactor<Source>, as source: Source) {
    let next = Heir(socket)
    if (try? next.channel.watch(in: reactor, as: source)) != nil { heir = next }
  }

  /// True while somebody is to take over; nil when nobody was named.
  var isAwaited: Bool? { heir.map { $0.isThere && !rings.isEmpty } }

  /// The moment at which this process ends, on CLOCK_BOOTTIME.
  var until: Int64? { heir?.until }

  /// The sessions to be given up next, which is to be confirmed; nil when none is asked for now.
  func next() -> [UInt64]? {
    guard let wish = heir?.next() else { return nil }
    let ids = rings.filter { $0.value == wish.inode }.map(\.key)
    for id in ids { rings[id] = nil }
    // Where the next one needs the device, the end of this process is the answer to the last request.
    isWaitedFor = !rings.isEmpty || wish.hasDevice
    return ids
  }

  func confirm() { if isWaitedFor { heir?.confirm() } }

  /// Ends the connection: everything is closed.
  func leave() { heir?.leave() }
}

internal import LullInspect
internal import LullSystem
internal import LullWire

/// A live connection of the program's last life, which Lull has kept: its peer has noticed nothing, and what
/// came meanwhile waits in it, in order.
///
/// It is taken by ``stream(outputLimit:eventHandler:)`` or ``hold(onReadable:)``. What is not taken within
/// 60 s of the launch is closed.
public final class RestoredLine {
  /// The name that the program gave the line.
  public let name: String?
  /// The purpose that the program gave the line.
  public let purpose: LinePurpose
  /// The kind: `tcp`, `udp`, `tcp-listen`, `unix` or `other`.
  public let kind: String
  /// The address of this end; empty for a descriptor that is no socket.
  public let local: String
  /// The peer's address; empty without a peer.
  public let peer: String
  /// The program's own state of the line, as it was set last.
  public let state: [UInt8]
  /// The pings that the daemon may answer on the line while the program sleeps.
  public let offload: Offload

  private let tcpKeepalive: Interval?
  private weak var application: Application?
  /// Nil once the line was taken or released.
  private var box: DescriptorBox?

  init(_ record: KeptLine, _ box: DescriptorBox, of application: Application) {
    (name, state, offload) = (record.name, record.state, record.offload)
    (purpose, tcpKeepalive) = (record.purpose ?? .voip, record.tcpKeepAlive)
    let description = Socket.describe(box.raw)
    (kind, local, peer) = (description.kind.rawValue, description.local, description.peer)
    (self.box, self.application) = (box, application)
  }

  /// Nil once the line was taken or released.
  public var descriptor: Int32? { box?.raw }

  /// The peer has ended the connection since, or it broke: there may be bytes to read before the end.
  public var hasEnded: Bool {
    guard let box else { return true }
    let readiness = (try? Socket.poll(box.raw, [.readable, .readHangUp], timeoutMilliseconds: 0)) ?? []
    return !readiness.isDisjoint(with: [.readHangUp, .hangUp, .error])
  }

  /// Takes a TCP connection as a stream, which is open from the start: `openCompleted` does not come.
  ///
  /// - Parameters:
  ///   - outputLimit: the bytes that may wait to be sent; see ``VoIPStream/write(_:)-([UInt8])``.
  ///   - eventHandler: called in the application's loop.
  /// - Returns: the open stream.
  /// - Throws: `refused` for a line that is no TCP connection or was taken, and whatever
  ///   ``hold(onReadable:)`` throws.
  public func stream(
    outputLimit: Int = VoIPStream.defaultOutputLimit,
    eventHandler: @escaping (VoIPStream, VoIPStream.Event) -> Void
  ) throws(LullError) -> VoIPStream {
    guard let application, let box else { throw Self.taken }
    guard let address = try? Socket.peerAddress(box.raw), kind == LineKind.tcp.rawValue else {
      throw .refused("\(kind) \(local) is no TCP connection with a peer")
    }
    let stream = try VoIPStream(
      restoring: box, from: address, traits, state, application: application, outputLimit: outputLimit,
      eventHandler: eventHandler)
    self.box = nil
    return stream
  }

  /// Takes any line. The descriptor is the program's own from then on, to be closed after
  /// ``Line/release()``.
  ///
  /// - Parameter onReadable: called in the application's loop whenever the descriptor is readable.
  /// - Returns: the line, to be released.
  /// - Throws: `refused` when the line was taken; `wrongMode`, `limitReached` or `timedOut`.
  public func hold(onReadable: (() -> Void)? = nil) throws(LullError) -> Line {
    guard let application, let box else { throw Self.taken }
    let line = try application.hold(box.raw, traits, state: state, onReadable: onReadable)
    // From here on the number is the program's.
    _ = box.take()?.take()
    self.box = nil
    return line
  }

  /// Closes a line that the program does not want; its peer notices at once.
  public func release() {
    guard let application, let box else { return }
    self.box = nil
    // The daemon lets go of its own duplicate when the line is declared.
    (try? application.hold(box.raw, traits, state: [], onReadable: nil))?.release()
    box.close()
  }

  private var traits: LineTraits {
    LineTraits(purpose: purpose, offload: offload, tcpKeepalive: tcpKeepalive, name: name)
  }

  private static var taken: LullError { .refused("the line was taken or released before") }
}

// The descriptors of the program's start.
extension RestoredLine {
  /// Seconds in which the program takes the lines that it wants.
  static let takingTime = 60.0

  /// The lines that were passed to this process (sd_listen_fds(3)), with their descriptions. Neither a second
  /// call nor a child of the process finds them.
  static func inherited(by application: Application) -> [RestoredLine] {
    guard number("LISTEN_PID") == Identity.pid(), let count = number("LISTEN_FDS"), count > 0,
      Int(count) <= Limits.maximumKeptLines, number(KeptLine.variable) == 3 + count,
      // Only the memfd of the start can be read like this: a descriptor that has the number by chance cannot.
      let text = try? Files.readMemoryFile(
        3 + count, limit: Limits.maximumKeptLines * Limits.maximumGuardLine)
    else { return [] }
    let records = KeptLine.lines(text)
    guard records.count >= Int(count) else { return [] }
    _ = Descriptor(owning: 3 + count)
    return (0..<count).compactMap { place in
      // A program that this one starts does not inherit the duplicate.
      guard let own = try? Descriptor.duplicating(3 + place) else { return nil }
      _ = Descriptor(owning: 3 + place)
      return RestoredLine(records[Int(place)], DescriptorBox(own), of: application)
    }
  }

  private static func number(_ name: String) -> Int32? { Identity.environment(name).flatMap { Int32($0) } }
}

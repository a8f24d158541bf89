public import Lull

/// Media keys, desktops and `playerctl` for a program on Lull: MPRIS 2.2 on the session bus.
///
/// The connection to the bus is held as a line, so that a command wakes the sleeping program; the application
/// needs the mode `externalAccessory`. Everything happens in the application's loop. The program says what it
/// plays with ``nowPlaying``, and calls `finishedHandlingWake()` in ``onHandled``.
///
///     let remote = try RemoteControl(application, RemoteIdentity(name: "radio", title: "Radio")) { command
/// in
///       switch command {
///       case .toggle: session.state == .running ? session.pause() : session.play()
///       default: throw RemoteRefusal("not on the radio")
///       }
///     }
///     remote.onHandled = { application.finishedHandlingWake() }
///     remote.nowPlaying.track = .init(number: 1, title: "News")
public final class RemoteControl {
  /// Carries a command out.
  public typealias Handler = (RemoteCommand) throws(RemoteRefusal) -> Void

  /// What is played. What has changed is told at once: set all of it together.
  public var nowPlaying = NowPlaying() {
    didSet { if nowPlaying != oldValue { announce(since: oldValue) } }
  }
  /// Seconds into the track at this moment; nil: as ``NowPlaying/position`` says.
  public var position: (() -> Double)?
  /// Called before a command is answered: what was answered should survive a kill, and ``nowPlaying`` be
  /// right.
  public var willAnswer: () -> Void = {}
  /// Called when everything that came has been answered.
  public var onHandled: () -> Void = {}
  /// The bus has ended; nothing comes any more.
  public var onLost: () -> Void = {}

  let identity: RemoteIdentity
  let handler: Handler
  private let bus: Bus
  private var line: Line?

  /// Connects to the session bus and takes the name.
  public init(
    _ application: Application, _ identity: RemoteIdentity, handler: @escaping Handler
  ) throws(BusError) {
    (self.identity, self.handler) = (identity, handler)
    bus = try Bus(name: "org.mpris.MediaPlayer2.\(identity.name)", path: "/org/mpris/MediaPlayer2")
    try bus.serve { [weak self] call throws(Bus.Refusal) in
      guard let self else { return [] }
      defer { willAnswer() }
      return try RemoteObject(remote: self).answer(call)
    }
    do throws(LullError) {
      line = try application.hold(bus.descriptor, as: .accessory) { [weak self] in self?.process() }
    } catch {
      throw BusError("\(error)")
    }
    // What came while the name was asked for has been read from the socket, and would make nothing readable.
    _ = bus.process()
  }

  deinit { line?.release() }

  /// Tells that the place in the track is not what follows from the time that has passed.
  public func positionJumped() {
    guard line != nil else { return }
    bus.emit(Properties.playerInterface, "Seeked", [.int64(Properties(self).position)])
  }

  private func announce(since old: NowPlaying) {
    guard line != nil else { return }
    let changed = Properties(self).changed(since: old)
    guard !changed.isEmpty else { return }
    bus.emit(
      Properties.interface, "PropertiesChanged",
      [.string(Properties.playerInterface), .dictionary(changed), .strings([])])
  }

  private func process() {
    if bus.process() { return onHandled() }
    line?.release()
    line = nil
    onLost()
    onHandled()
  }
}

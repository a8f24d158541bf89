public import Lull
import LullBus

/// Media keys, desktops and `playerctl` for a program on Lull: MPRIS 2.2 on the session bus.
///
/// The connection to the bus is held as a line, so that a request wakes the sleeping program; the application
/// needs the mode `externalAccessory`. Everything happens in the application's loop. The program tells what
/// it plays by ``nowPlaying``, and calls `finishedHandlingWake()` in ``onHandled``.
///
///     let identity = RemoteIdentity(name: "radio", title: "Radio")
///     let remote = try RemoteControl(application, identity) { command in
///       switch command {
///       case .toggle: session.state == .running ? session.pause() : session.play()
///       default: throw RemoteRefusal("not on the radio")
///       }
///     }
///     remote.onHandled = { application.finishedHandlingWake() }
///     remote.nowPlaying.track = .init(number: 1, title: "News")
public final class RemoteControl {
  /// Carries a request out.
  public typealias Handler = (RemoteCommand) throws(RemoteRefusal) -> Void

  /// The sound that is played. Changes are announced at once: set all of them together.
  public var nowPlaying = NowPlaying() {
    didSet { if nowPlaying != oldValue { announce(since: oldValue) } }
  }
  /// Seconds into the track at this moment; nil: ``NowPlaying/position`` holds.
  public var position: (() -> Double)?
  /// Called before a request is answered: here the program saves its state, so that the answered change
  /// survives a kill, and updates ``nowPlaying``.
  public var willAnswer: () -> Void = {}
  /// Called when all requests that came have been answered.
  public var onHandled: () -> Void = {}
  /// Called when the bus has ended: no more requests come.
  public var onLost: () -> Void = {}

  private let identity: RemoteIdentity
  private let handler: Handler
  private let bus: Bus
  private var line: Line?

  /// Connects to the session bus and takes the name.
  public init(
    _ application: Application, _ identity: RemoteIdentity, handler: @escaping Handler
  ) throws(BusError) {
    (self.identity, self.handler) = (identity, handler)
    do throws(BusError) { bus = try Bus(.session) } catch {
      throw error.isWithoutAddress ? BusError("no session bus") : error
    }
    try bus.requestName("org.mpris.MediaPlayer2.\(identity.name)")
    try bus.serve(Properties.path) { [weak self] call throws(Bus.Refusal) in
      guard let self else { return [] }
      defer { willAnswer() }
      return try RemoteObject(properties: properties, handler: handler).answer(call)
    }
    do throws(LullError) {
      line = try application.hold(bus.descriptor, as: .accessory) { [weak self] in self?.process() }
    } catch {
      throw BusError("\(error)")
    }
    // Messages that came while the name was requested have been read from the socket already: they would not
    // make it readable.
    _ = bus.process() && bus.flush()
  }

  deinit {
    line?.release()
    bus.flush()
  }

  /// Announces that the place in the track has jumped.
  public func positionJumped() {
    guard line != nil else { return }
    bus.emit(
      Properties.playerInterface, member: "Seeked", at: Properties.path,
      values: [.int64(properties.position)])
  }

  private func announce(since old: NowPlaying) {
    guard line != nil else { return }
    let changed = properties.changed(since: old)
    guard !changed.isEmpty else { return }
    bus.emit(
      Properties.interface, member: "PropertiesChanged", at: Properties.path,
      values: [.string(Properties.playerInterface), .dictionary(changed), .strings([])])
  }

  private var properties: Properties {
    var now = nowPlaying
    now.position = position?() ?? now.position
    return Properties(identity, now)
  }

  private func process() {
    if bus.process(), bus.flush() { return onHandled() }
    line?.release()
    line = nil
    onLost()
    onHandled()
  }
}

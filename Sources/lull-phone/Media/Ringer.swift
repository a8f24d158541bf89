import Lull
import LullMedia

/// The ring tone of a call that waits to be answered: two tones, two seconds of six.
final class Ringer {
  /// The seconds after which an unanswered call stops ringing.
  private static let longest = 60.0
  private static let cadence = (tone: 100, all: 300)
  /// Frames that are kept in the ring: half a second.
  private static let lowWater = 25 * Opus.frame
  private var session: AudioSession?
  private var end: TimerToken?
  private var tones = (ToneGenerator(frequency: 440), ToneGenerator(frequency: 480))
  /// The frames since the ringing began.
  private var place = 0

  /// Begins to ring. Without sound the call rings by its notification alone, and `trouble` gets the reason.
  func start(_ application: Application, on device: AudioDevice, trouble: @escaping (String) -> Void) {
    guard session == nil else { return }
    place = 0
    do {
      let session = try AudioSession(
        application, category: .playAndRecord, format: callFormat(), buffer: .shallow(seconds: 1),
        latency: 0.2,
        output: device
      ) { [weak self] session, event in
        switch event {
        case .wantsFrames: self?.write(session)
        case .failed(let error):
          self?.stop()
          trouble("\(error)")
        case .stateChanged, .routeChanged, .interruptionBegan, .interruptionEnded: break
        }
      }
      self.session = session
      end = application.schedule(after: Ringer.longest) { [weak self] in self?.stop() }
      write(session)
      session.play()
    } catch {
      trouble("\(error)")
    }
  }

  /// Stops; does nothing when it does not ring.
  func stop() {
    session?.close()
    session = nil
    end?.cancel()
    end = nil
  }

  private func write(_ session: AudioSession) {
    while session.queuedFrames < Ringer.lowWater, session.writableFrames >= Opus.frame {
      let frame = next()
      _ = unsafe frame.withUnsafeBytes { bytes in unsafe session.write(bytes) }
    }
    session.askForFrames(when: Ringer.lowWater)
  }

  private func next() -> [Int16] {
    defer { place += 1 }
    var (low, high) = ([Int16](repeating: 0, count: Opus.frame), [Int16](repeating: 0, count: Opus.frame))
    guard place % Ringer.cadence.all < Ringer.cadence.tone else { return low }
    tones.0.next(&low)
    tones.1.next(&high)
    return zip(low, high).map { $0 / 2 + $1 / 2 }
  }
}

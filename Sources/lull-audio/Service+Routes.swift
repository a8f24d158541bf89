import LullAudio
import LullSystem
import LullWire

// The devices of each direction.
extension Service {
  static func players(_ options: Options, _ link: Link) -> Routes<Renderer> {
    let audience = Audience(report: { link.tell($0.message) })
    return Routes(
      usual: options.device,
      make: { name in
        Renderer(
          audience: audience, closeAfter: options.closeAfter,
          open: { request throws(SinkError) in try SoundDevice.play(name, request) },
          report: { link.tell($0.message(on: name)) })
      },
      canOpen: { name in canOpen(name, .play) }, report: { link.tell($0.message) })
  }

  static func recorders(_ options: Options, _ link: Link) -> Routes<Capturer> {
    Routes(
      usual: options.device,
      make: { name in
        Capturer(
          open: { request throws(SinkError) in try SoundDevice.capture(name, request) },
          report: { link.tell($0.message(on: name)) })
      },
      canOpen: { name in canOpen(name, .capture) }, report: { link.tell($0.message) })
  }

  private static func canOpen(_ name: String, _ direction: AlsaDevice.Direction) -> Bool {
    switch direction {
    case .play: (try? SoundDevice.play(name, SinkRequest())) != nil
    case .capture: (try? SoundDevice.capture(name, SinkRequest())) != nil
    }
  }
}

extension AudioReport {
  /// The line to lulld about a device or a session on it.
  fileprivate func message(on device: String) -> Message {
    if case .routeGone = self { message.adding(.device, device) } else { message }
  }
}

extension RouteReport {
  /// The line to lulld.
  fileprivate var message: Message {
    Message(SoundVerb.route).adding(.session, session).adding(.change, word: Vocabulary.RouteChange.new)
      .adding(.device, device).adding(.old, old).adding(.reason, reason.rawValue)
  }
}

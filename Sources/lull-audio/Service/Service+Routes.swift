import LullAudio
import LullChannel
import LullSystem
import LullWire

// The devices of each direction.
extension Service {
  static func players(
    _ options: Options, _ link: MessageChannel, for audience: Audience, from ahead: OpenedAhead
  ) -> Routes<Renderer> {
    Routes(
      usual: options.device,
      make: { name in
        Renderer(
          audience: audience, closeAfter: options.closeAfter,
          open: { request throws(SinkError) in
            if let sink = ahead.take(name, request) { return sink }
            return try AudioDevice.play(name, request)
          },
          report: { link.tell($0.message(on: name).message()) })
      },
      canOpen: { name in canOpen(name, .play) }, report: { link.tell($0.message.message()) })
  }

  static func recorders(_ options: Options, _ link: MessageChannel) -> Routes<Capturer> {
    Routes(
      usual: options.device,
      make: { name in
        Capturer(
          open: { request throws(SinkError) in try AudioDevice.capture(name, request) },
          report: { link.tell($0.message(on: name).message()) })
      },
      canOpen: { name in canOpen(name, .capture) }, report: { link.tell($0.message.message()) })
  }

  private static func canOpen(_ name: String, _ direction: AlsaDevice.Direction) -> Bool {
    switch direction {
    case .play: (try? AudioDevice.play(name, SinkRequest())) != nil
    case .capture: (try? AudioDevice.capture(name, SinkRequest())) != nil
    }
  }
}

import LullAudio

extension Service {
  static func players(
    _ options: Options, _ lulld: LulldLink, for audience: Audience
  ) -> Routes<Renderer> {
    Routes(
      usual: options.device,
      make: { name in
        Renderer(
          audience: audience, closeAfter: options.closeAfter,
          open: { request throws(SinkError) in try AudioDevice.play(name, request) },
          report: { lulld.tell($0.message(on: name)) })
      },
      canOpen: { name in canOpen(name, .play) }, report: { lulld.tell($0.message) })
  }

  static func recorders(_ options: Options, _ lulld: LulldLink) -> Routes<Capturer> {
    Routes(
      usual: options.device,
      make: { name in
        Capturer(
          open: { request throws(SinkError) in try AudioDevice.capture(name, request) },
          report: { lulld.tell($0.message(on: name)) })
      },
      canOpen: { name in canOpen(name, .capture) }, report: { lulld.tell($0.message) })
  }

  private static func canOpen(_ name: String, _ direction: AlsaDevice.Direction) -> Bool {
    switch direction {
    case .play: (try? AudioDevice.play(name, SinkRequest())) != nil
    case .capture: (try? AudioDevice.capture(name, SinkRequest())) != nil
    }
  }
}

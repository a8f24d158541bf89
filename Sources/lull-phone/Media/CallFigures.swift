import LullMedia

struct CallFigures: CustomStringConvertible {
  private let figures: MediaStatistics
  /// Milliseconds that were queued towards the device.
  private let device: Double

  init(_ figures: MediaStatistics, device: Double) {
    self.figures = figures
    self.device = device
  }

  var description: String {
    """
    sent \(figures.sent), received \(figures.received), lost \(figures.lost), \
    recovered \(figures.recovered), concealed \(figures.concealed), late \(figures.late), \
    duplicate \(figures.duplicate), jitter \(tenths(figures.jitterMilliseconds)) ms, \(way)
    """
  }

  private var way: String {
    guard let delay = figures.mouthToEarMilliseconds(device: device) else { return "nothing heard" }
    return """
      mouth to ear about \(whole(delay)) ms (\(whole(figures.waitMilliseconds)) in the jitter buffer, \
      \(whole(device)) towards the device)
      """
  }

  private func whole(_ number: Double) -> Int { Int(number.rounded()) }

  private func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

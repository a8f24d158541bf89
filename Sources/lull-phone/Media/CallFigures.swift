import LullMedia

/// The figures of a call in one line.
struct CallFigures: CustomStringConvertible {
  private let figures: MediaStatistics
  /// Milliseconds that were queued towards the device.
  private let device: Double

  init(_ figures: MediaStatistics, device: Double) {
    self.figures = figures
    self.device = device
  }

  var description: String {
    let delay = figures.mouthToEarMilliseconds(device: device)
    let ear = delay.map { "mouth to ear about \(Int($0.rounded())) ms" } ?? "nothing heard"
    return """
      sent \(figures.sent), received \(figures.received), lost \(figures.lost), recovered \(figures.recovered), \
      concealed \(figures.concealed), late \(figures.late), duplicate \(figures.duplicate), \
      jitter \(tenths(figures.jitterMilliseconds)) ms, \(ear)
      """
  }

  private func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

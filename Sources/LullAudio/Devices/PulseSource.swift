@safe final class PulseSource: AudioSource {
  let format: SinkFormat
  private let stream: PulseStream
  private let sample: SampleFormat

  init(_ address: PulseAddress, name: String, _ request: SinkRequest) throws(SinkError) {
    let wanted = PulseFormat(request)
    let frames = Int(request.seconds * Double(request.rate))
    stream = try PulseStream(
      .capture, address: address, format: wanted, buffer: PulseBuffer(length: frames, step: frames / 8))
    sample = wanted.sample
    format = SinkFormat(
      device: name, rate: wanted.rate, channels: wanted.channels, buffer: frames, margin: frames / 8)
  }

  /// One stream that plays, recorded by the monitor of its sink.
  init(monitoring input: PulseEntry, by monitor: String, on connection: PulseConnection) throws(SinkError) {
    let wanted = PulseFormat(SinkRequest())
    stream = try PulseStream(
      .capture, on: connection, device: monitor, format: wanted,
      buffer: PulseBuffer(length: wanted.rate, step: wanted.rate), monitoring: input.index)
    sample = wanted.sample
    format = SinkFormat(
      device: monitor, rate: wanted.rate, channels: wanted.channels, buffer: wanted.rate, margin: 0)
    _ = connection.wait(PulseConnection.answerPatience) { !stream.isBeingMade }
    try start()
  }

  func prepare() throws(SinkError) { try stream.look() }

  func name(_ programs: String) { stream.name(programs) }

  func start() throws(SinkError) {
    stream.run(true)
    try stream.look()
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int {
    try stream.look()
    var done = 0
    while done < frames {
      let place = unsafe samples + done * format.channels
      let count = try unsafe stream.take(frames - done) { bytes, count in
        let samples = count * format.channels
        if let bytes = unsafe bytes {
          unsafe Convert.toFloat(bytes, sample, count: samples, into: place)
        } else {
          unsafe place.update(repeating: 0, count: samples)
        }
      }
      guard count > 0 else { break }
      done += count
    }
    return done
  }
}

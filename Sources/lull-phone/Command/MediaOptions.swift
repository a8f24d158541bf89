import ArgumentParser
import Lull
import LullMedia
import LullWire

struct MediaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What is sent: microphone, tone:HERTZ, clicks, silence or file:PATH.", valueName: "source"))
  var source = "microphone"
  @Option(help: ArgumentHelp("Where it is heard: speaker, none or file:PATH (WAV).", valueName: "sink"))
  var sink = "speaker"
  @Option(help: ArgumentHelp("Opus' payload type of RTP, 96 to 127.", valueName: "number"))
  var payloadType = MediaSession.Settings().payloadType
  @Option(help: ArgumentHelp("Opus' bits per second, 6000 to 128000.", valueName: "bits"))
  var bitRate = OpusEncoder.Settings().bitRate
  @Flag(help: "Send nothing while there is silence.") var dtx = false
  @Option(
    help: ArgumentHelp("The UDP port to receive at; 0: one that is free.", valueName: "port"))
  var rtpPort: UInt16 = 0
  @Option(help: ArgumentHelp("Hang up after so long.", valueName: "seconds")) var duration: Double?

  @Option(
    help: ArgumentHelp(
      "The device of the talk, both ways; \"lull sound devices\" lists them.", valueName: "device"))
  var talkDevice = DeviceName.usual
  @Flag(
    inversion: .prefixedNo, help: "Take what the speaker plays out of what the microphone hears.")
  var echoCancellation = true
  @Flag(help: "With echo cancellation: make steady noise quieter.") var noiseSuppression = false
  @Flag(help: "With echo cancellation: bring the voice to the usual level.") var gainControl = false

  private static let bitRates: ClosedRange<Int32> = 6000...128_000

  func validate() throws {
    guard RTPPacket.dynamicPayloadTypes.contains(payloadType) else {
      throw ValidationError("--payload-type \(payloadType): 96 to 127")
    }
    guard MediaOptions.bitRates.contains(bitRate) else {
      throw ValidationError("--bit-rate \(bitRate): 6000 to 128000")
    }
    guard DeviceName.isValid(talkDevice) else {
      throw ValidationError("--talk-device \(talkDevice): \(DeviceName.expected)")
    }
    if let duration, !(duration > 0) { throw ValidationError("--duration \(duration): more than 0") }
    guard SourceName(source) != nil else {
      throw ValidationError("--source \(source): microphone, tone:HERTZ, clicks, silence or file:PATH")
    }
    guard SinkName(sink) != nil else { throw ValidationError("--sink \(sink): speaker, none or file:PATH") }
  }

  /// Opens the files.
  func settings(payloadType: UInt8) throws -> Call.Settings {
    var media = MediaSession.Settings()
    media.payloadType = payloadType
    media.encoder.usesDTX = dtx
    media.encoder.bitRate = bitRate
    guard let source = SourceName(source), let sink = SinkName(sink) else { preconditionFailure("validated") }
    let (device, echo) = (AudioDevice(named: talkDevice), try echoPath(source, sink))
    return Call.Settings(
      media: media, source: try source.open(device, echo: echo), sink: try sink.open(device, echo: echo),
      duration: duration)
  }

  /// An echo exists only between real devices.
  private func echoPath(_ source: SourceName, _ sink: SinkName) throws(CallError) -> EchoPath? {
    guard echoCancellation, source == .microphone, sink == .speaker else { return nil }
    var settings = EchoCanceller.Settings()
    (settings.suppressesNoise, settings.levelsGain) = (noiseSuppression, gainControl)
    return try EchoPath(settings)
  }
}

extension AudioDevice {
  init(named name: String) { self = name == DeviceName.usual ? .default : .device(name) }
}

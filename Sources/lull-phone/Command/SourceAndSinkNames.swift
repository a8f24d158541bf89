import Lull

enum SourceName: Equatable {
  case microphone
  case tone(Double)
  case clicks
  case silence
  case file(String)

  private static let frequencies = 1.0...20_000.0

  init?(_ text: String) {
    switch text {
    case "microphone": self = .microphone
    case "clicks": self = .clicks
    case "silence": self = .silence
    default:
      if text.hasPrefix("file:"), text.utf8.count > 5 {
        self = .file(String(text.dropFirst(5)))
      } else if text.hasPrefix("tone:"), let hertz = Double(text.dropFirst(5)),
        SourceName.frequencies.contains(hertz)
      {
        self = .tone(hertz)
      } else {
        return nil
      }
    }
  }

  /// `device` and `echo` are for the microphone.
  func open(_ device: AudioDevice, echo: EchoPath?) throws -> any FrameSource {
    switch self {
    case .microphone: Microphone(device, echo: echo)
    case .tone(let hertz): ClockedSource(ToneGenerator(frequency: hertz))
    case .clicks: ClockedSource(ClickGenerator())
    case .silence: ClockedSource(SilenceGenerator())
    case .file(let path): ClockedSource(try FileGenerator(path: path))
    }
  }
}

enum SinkName: Equatable {
  case speaker
  case none
  case file(String)

  init?(_ text: String) {
    switch text {
    case "speaker": self = .speaker
    case "none": self = .none
    default:
      guard text.hasPrefix("file:"), text.utf8.count > 5 else { return nil }
      self = .file(String(text.dropFirst(5)))
    }
  }

  /// `device` and `echo` are for the speaker.
  func open(_ device: AudioDevice, echo: EchoPath?) throws -> any FrameSink {
    switch self {
    case .speaker: Speaker(device, echo: echo)
    case .none: ClockedSink(nil)
    case .file(let path): ClockedSink(try AudioFile(writing: path))
    }
  }
}

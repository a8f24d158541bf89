import LullEngine
import Testing

/// What programs and whoever plays them say of sound, in words.
extension Script {
  @discardableResult
  mutating func open(
    _ name: String, _ category: AudioCategory = .playback,
    _ configure: (inout SoundSession) -> Void = { _ in }
  ) -> [String] {
    var session = SoundSession(category: category)
    configure(&session)
    let id = id(name)
    return ask { .openSession(id, session, $0) }
  }

  @discardableResult
  mutating func close(_ name: String, _ session: UInt32) -> [String] {
    let id = id(name)
    return ask { .endSession(id, SessionID(session), $0) }
  }

  @discardableResult
  mutating func hear(_ name: String, _ session: UInt32, _ reports: SoundReport...) -> [String] {
    reports.flatMap { feed(.sound(id(name), SessionID(session), $0)) }
  }

  /// The program is heard; with `deep` only what is in its deep buffers.
  @discardableResult
  mutating func sounds(_ name: String, deep: Bool = false) -> [String] { listen(name, deep, .sounding) }

  @discardableResult
  mutating func quiet(_ name: String, _ rest: Int64 = 0, deep: Bool = false) -> [String] {
    listen(name, deep, .quiet(.seconds(rest)))
  }

  private mutating func listen(_ name: String, _ isDeep: Bool, _ report: HeardReport) -> [String] {
    let effects = feed(.heard(id(name), .all, report))
    return isDeep ? effects : effects + feed(.heard(id(name), .live, report))
  }

  /// All that happens on its way into the background.
  mutating func leaveForeground(_ name: String) -> [String] {
    command(name, .background) + did(name) + did(name)
  }

  /// In the background with a session, about to be frozen.
  mutating func player(
    _ name: String = "player", _ modes: Modes = .audio, _ category: AudioCategory = .playback,
    _ configure: (inout SoundSession) -> Void = { _ in }
  ) {
    launched(name, modes)
    open(name, category, configure)
    sendToBackground(name)
  }

  /// In the background and heard.
  mutating func playing(_ name: String = "player", _ session: UInt32 = 1) {
    launched(name, .audio)
    open(name)
    hear(name, session, .began)
    sounds(name)
    sendToBackground(name)
  }

  /// A phone in the foreground with a call, in which somebody speaks.
  @discardableResult
  mutating func call(_ name: String = "phone", _ session: UInt32) -> [String] {
    if engine.find(name: name) == nil {
      launched(name, .voip)
      open(name, .playAndRecord)
    }
    return hear(name, session, .began) + sounds(name)
  }

  /// The end of that call.
  @discardableResult
  mutating func hangUp(_ name: String = "phone", _ session: UInt32) -> [String] {
    hear(name, session, .ended) + quiet(name, 10)
  }
}

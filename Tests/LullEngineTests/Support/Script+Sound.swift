import LullEngine
import Testing

/// The words of programs and of lull-audio about sound.
extension Script {
  @discardableResult
  mutating func open(
    _ name: String, _ category: AudioCategory = .playback,
    _ configure: (inout SessionTraits) -> Void = { _ in }
  ) -> [String] {
    var session = SessionTraits(category: category)
    configure(&session)
    let id = id(name)
    return ask(.openSession(id, session))
  }

  @discardableResult
  mutating func close(_ name: String, _ session: UInt32) -> [String] {
    let id = id(name)
    return ask(.endSession(id, SessionID(session)))
  }

  @discardableResult
  mutating func hear(_ name: String, _ session: UInt32, _ reports: SessionReport...) -> [String] {
    reports.flatMap { feed(.sound(id(name), SessionID(session), $0)) }
  }

  /// The program is sounding; with `deep` only by its deep buffers.
  @discardableResult
  mutating func sounds(_ name: String, deep: Bool = false) -> [String] {
    listen(name, isDeep: deep, report: .sounding)
  }

  @discardableResult
  mutating func quiet(_ name: String, _ rest: Int64 = 0, deep: Bool = false) -> [String] {
    listen(name, isDeep: deep, report: .quiet(.seconds(rest)))
  }

  private mutating func listen(_ name: String, isDeep: Bool, report: AudibilityReport) -> [String] {
    let effects = feed(.audibility(id(name), .all, report))
    return isDeep ? effects : effects + feed(.audibility(id(name), .live, report))
  }

  /// Answers the messages by which a call comes before the programs in the foreground, and goes; the other
  /// effects are left.
  mutating func passingCall(_ effects: [String]) -> [String] {
    effects.flatMap { effect in
      let words = effect.split(separator: ": ").map(String.init)
      guard words.count > 1, ["willResignActive", "didBecomeActive"].contains(words.last) else {
        return [effect]
      }
      return did(words[words.count - 2])
    }
  }

  /// A program in the background with a session, about to be frozen.
  mutating func player(
    _ name: String = "player", modes: Modes = .audio, category: AudioCategory = .playback,
    _ configure: (inout SessionTraits) -> Void = { _ in }
  ) {
    launched(name, modes)
    open(name, category, configure)
    sendToBackground(name)
  }

  /// A program in the background that is sounding.
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

extension Request {
  /// The fields of `sound-route`.
  public struct SoundRoute: Equatable, Sendable {
    /// The program.
    public var name: String
    /// The device that its sound is to go to or come from; nil: the usual one.
    public var device: String?
    /// Only this session; nil: all of one direction, and those to come.
    public var session: UInt64?
    /// Which ones, without a session.
    public var direction: Direction

    /// Makes the fields.
    public init(name: String, device: String?, session: UInt64? = nil, direction: Direction = .play) {
      (self.name, self.device, self.session, self.direction) = (name, device, session, direction)
    }
  }
}

extension Request.SoundRoute {
  static let fields: [Key] = [.name, .device, .session, .direction]

  init(_ message: Message) throws(WireError) {
    let isForOne = message[.session] != nil
    if isForOne, let direction = message[.direction] {
      throw .badValue(
        key: Key.direction.rawValue, value: direction,
        expected: "\(Key.session) or \(Key.direction), not both")
    }
    self.init(
      name: try message.programName(), device: DeviceName.wanted(try message.deviceName(.device)),
      session: isForOne ? try message.identifier(.session) : nil,
      direction: try message.word(ifPresent: .direction, as: Request.Direction.self) ?? .play)
  }

  func adding(to message: Message) -> Message {
    message.adding(.name, name).adding(.device, device ?? DeviceName.usual).adding(.session, session)
      .adding(.direction, word: session == nil && direction == .capture ? direction : nil)
  }
}

/// The names of sound devices, as ALSA's configuration has them: 1 to 128 bytes of `[A-Za-z0-9_.:,=+@-]`. A
/// name of ALSA may hold a configuration of its own, which could write to files: so those that take files and
/// all quotes are refused.
public enum DeviceName {
  /// The usual device, whichever it is.
  public static let usual = "default"

  /// Whether the text can name a device.
  public static func isValid(_ text: String) -> Bool {
    let writesFiles = ["file:", "tee:"].contains { text.hasPrefix($0) }
    // Its sound would come back as a program's, without end.
    let isLull = text.split(separator: ":").contains { $0 == "lull" || $0.hasPrefix("lull,") }
    return (1...Limits.maximumDevice).contains(text.utf8.count) && text.utf8.allSatisfy(isPart)
      && !writesFiles && !isLull
  }

  /// The device that is asked for by name; nil: the usual one.
  static func wanted(_ name: String) -> String? { name == usual ? nil : name }

  /// What is expected of a name.
  public static let expected =
    "the name of a device, \(usual) for the usual one, and not lull; at most \(Limits.maximumDevice) letters, digits, or _.:,=+@-"

  private static func isPart(_ byte: UInt8) -> Bool {
    Grammar.isLower(byte) || Grammar.isUpper(byte) || Grammar.isDigit(byte) || "_.:,=+@-".utf8.contains(byte)
  }
}

extension Message {
  func deviceName(_ key: Key) throws(WireError) -> String {
    let name = try string(key)
    guard DeviceName.isValid(name) else {
      throw .badValue(key: key.rawValue, value: name, expected: DeviceName.expected)
    }
    return name
  }

  /// The device of a session.
  func device(_ direction: Request.Direction) throws(WireError) -> String? {
    let (key, other): (Key, Key) = direction == .play ? (.output, .input) : (.input, .output)
    if let value = self[other] {
      throw .badValue(key: other.rawValue, value: value, expected: "\(key) for this direction")
    }
    return self[key] == nil ? nil : DeviceName.wanted(try deviceName(key))
  }
}

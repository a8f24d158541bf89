/// A background mode that a program declares (Background Execution, Table 3-1).
public struct Modes: WordSet, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// The modes with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The program provides Voice over IP: its lines are watched and its keep-alive handler runs.
  public static let voip = Modes(rawValue: 1)
  /// The program plays or records sound in the background.
  public static let audio = Modes(rawValue: 2)
  /// The program works with an accessory that delivers updates.
  public static let externalAccessory = Modes(rawValue: 4)

  /// Every mode with its word.
  public static let all: [(member: Modes, word: String)] = [
    (.voip, "voip"), (.audio, "audio"), (.externalAccessory, "external-accessory"),
  ]
}

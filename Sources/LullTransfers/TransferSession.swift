internal import LullChannel
internal import LullSystem
internal import LullWire

/// The transfers that a program has begun under one name. Any later life of the program finds them by that
/// name. Nothing is held open for them, so the program may sleep or end meanwhile.
///
/// When all of them have ended, and when one has failed for good, the program gets the link ``link``: it is
/// woken, or launched when it does not run, once. A program that is to be launched declares ``scheme``.
public struct TransferSession: Sendable {
  /// The scheme of the links that tell of sessions.
  public static var scheme: String { TransferLink.scheme }

  /// The name of the session: 1 to 64 letters, digits, `.`, `_` and `-`.
  public let identifier: String
  /// The program that is woken or launched; nil: none is.
  public let program: String?
  private let store: TransferStore

  /// The session of a program, new or with the transfers that it has.
  public init(identifier: String, program: String?) throws(TransferError) {
    guard let store = TransferStore.ofThisUser else {
      throw TransferError("no home directory to keep transfers in; set XDG_STATE_HOME")
    }
    try self.init(identifier: identifier, program: program, store: store)
  }

  package init(identifier: String, program: String?, store: TransferStore) throws(TransferError) {
    let isWord = identifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    guard isWord, (1...64).contains(identifier.utf8.count) else {
      throw TransferError("session \(identifier): must be 1 to 64 letters, digits, \".\", \"_\" and \"-\"")
    }
    if let program, !ProgramName.isValid(program) {
      throw TransferError("\(program): must be \(ProgramName.expected)")
    }
    (self.identifier, self.program, self.store) = (identifier, program, store)
  }

  /// The link that tells of this session.
  public var link: String { "\(Self.scheme):\(identifier)" }

  /// The session that a link tells of; nil for a link of another scheme.
  public static func identifier(of link: String) -> String? {
    link.hasPrefix("\(scheme):") ? String(link.dropFirst(scheme.count + 1)) : nil
  }

  /// Has a file fetched. What the server has is renamed to `destination` once it is whole.
  ///
  /// - Parameters:
  ///   - url: An `http:` or `https:` URL.
  ///   - destination: A path that begins with `/` in a folder that is there; no file has it yet.
  ///   - isDiscretionary: It is fetched on mains power and over an unmetered network only.
  ///   - checksum: `sha-256=` and hexadecimal digits; a file that differs is a failure.
  /// - Returns: The transfer, which is open.
  /// - Throws: Also as long as nothing on this machine fetches.
  @discardableResult
  public func add(
    _ url: String, to destination: String, isDiscretionary: Bool = false, checksum: String? = nil
  ) throws(TransferError) -> Transfer {
    guard InstalledFolder.ofThisUser?.holds(TransferLink.service) == true else {
      throw TransferError("nothing fetches here yet; say \"\(TransferError.installing)\" once")
    }
    return try enqueue(url, to: destination, isDiscretionary: isDiscretionary, checksum: checksum)
  }

  private static func isChecksum(_ text: String) -> Bool {
    let digits = text.utf8.dropFirst(8)
    return text.hasPrefix("sha-256=") && digits.count == 64
      && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  package func enqueue(
    _ url: String, to destination: String, isDiscretionary: Bool = false, checksum: String? = nil
  ) throws(TransferError) -> Transfer {
    try Self.check(url)
    try Self.check(destination: destination)
    if let checksum, !Self.isChecksum(checksum) {
      throw TransferError("\(checksum): must be sha-256= and 64 hexadecimal digits")
    }
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    let transfer = Transfer(
      identifier: String(repeating: "0", count: 16 - number.count) + number, session: identifier,
      program: program, url: url, destination: destination, isDiscretionary: isDiscretionary,
      checksum: checksum, addedAt: Clock.realtime() / 1_000_000_000)
    let all = try explained { () throws(SystemError) in
      try StateDirectory.ensure(store.folder)
      return try store.transfers()
    }
    guard all.count < TransferStore.most else {
      throw TransferError("there are \(TransferStore.most) transfers; remove some that have ended")
    }
    guard !all.contains(where: { $0.isOpen && $0.destination == destination }) else {
      throw TransferError("\(destination): another transfer brings that file")
    }
    try explained { () throws(SystemError) in try store.write(transfer) }
    return transfer
  }

  /// Every transfer of the session, the oldest first; those that have ended are kept for seven days.
  public func transfers() throws(TransferError) -> [Transfer] {
    try explained { () throws(SystemError) in try store.transfers() }
      .filter { $0.session == identifier && $0.program == program }
  }

  /// Cancels a transfer that is open, with what has come of it. One that has ended is forgotten, and a file
  /// at its destination stays.
  public func remove(_ transfer: Transfer) throws(TransferError) {
    try explained { () throws(SystemError) in try store.mark(transfer.identifier) }
  }

  private func explained<Value>(_ call: () throws(SystemError) -> Value) throws(TransferError) -> Value {
    do throws(SystemError) { return try call() } catch { throw TransferError("\(error)") }
  }

  private static func check(_ url: String) throws(TransferError) {
    guard let scheme = LinkURL.scheme(of: url), ["http", "https"].contains(scheme),
      url.dropFirst(scheme.count).hasPrefix("://")
    else { throw TransferError("\(url): must be a URL that begins with http:// or https://") }
  }

  private static func check(destination path: String) throws(TransferError) {
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.unicodeScalars.contains(where: { $0.value < 0x20 })
    else { throw TransferError("\(path): must be the path of a file, and begin with /") }
    guard !Files.exists(path) else { throw TransferError("\(path): is there already") }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    guard case .folder = Files.kind(Array(folder.utf8)) else {
      throw TransferError("\(folder): there is no such folder")
    }
  }
}

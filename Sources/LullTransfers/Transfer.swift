import LullSystem

/// A file that is fetched for a program, whether or not the program runs.
public struct Transfer: Equatable, Sendable {
  /// How far it has come.
  public enum State: Equatable, Sendable {
    /// It is being fetched, or waits; then `why` says in one line for what.
    case open(why: String?)
    /// The whole file is at its destination.
    case finished
    /// It is not tried again; the reason in one line.
    case failed(String)
  }

  /// The name of the transfer: 16 hexadecimal digits.
  public let identifier: String
  /// The session that it belongs to.
  public let session: String
  /// The program that is woken or launched for it; nil: none is.
  public let program: String?
  /// The source, an `http:` or `https:` URL.
  public let url: String
  /// The path at which the file appears once it is whole.
  public let destination: String
  /// It is fetched on mains power and over an unmetered network only.
  public let isDiscretionary: Bool
  /// What the file must have, as `sha-256=` and hexadecimal digits; nil: nothing is checked.
  public let checksum: String?
  /// How far it has come.
  public package(set) var state = State.open(why: nil)
  /// The length of the whole file in bytes; nil as long as the server has not told it.
  public package(set) var expectedBytes: Int64?
  /// In seconds since 1970.
  package let addedAt: Int64
  /// The head line that has the server refuse to go on with another file, as `If-Match: "5f1"`.
  package var validator: String?
  /// How often it began anew because the file had changed on the server.
  package var restarts = 0
  /// The program has been told of the end.
  package var isTold = false

  package init(
    identifier: String, session: String, program: String?, url: String, destination: String,
    isDiscretionary: Bool = false, checksum: String? = nil, addedAt: Int64
  ) {
    (self.identifier, self.session, self.program) = (identifier, session, program)
    (self.url, self.destination, self.addedAt) = (url, destination, addedAt)
    (self.isDiscretionary, self.checksum) = (isDiscretionary, checksum)
  }

  /// The bytes that have been fetched.
  public var receivedBytes: Int64 {
    if state == .finished { return expectedBytes ?? 0 }
    return FileVersion(partialPath)?.size ?? 0
  }

  /// True until it has finished or failed.
  public var isOpen: Bool { word == "open" }

  /// The bytes that have come, beside the destination, so that the whole file is only renamed.
  package var partialPath: String {
    let folder = destination.lastIndex(of: "/").map { destination[...$0] } ?? ""
    return "\(folder).lull-\(identifier).part"
  }
}

// The file of a transfer: a line for each field, the name and a space before the value.
extension Transfer {
  package var word: String {
    switch state {
    case .open: "open"
    case .finished: "finished"
    case .failed: "failed"
    }
  }

  package var reason: String? {
    switch state {
    case .open(let why): why
    case .finished: nil
    case .failed(let reason): reason
    }
  }

  package var record: String {
    let fields: [(String, String?)] = [
      ("session", session), ("program", program), ("url", url), ("destination", destination),
      ("discretionary", isDiscretionary ? "yes" : nil), ("checksum", checksum), ("added", "\(addedAt)"),
      ("state", word), ("reason", reason), ("bytes", expectedBytes.map { "\($0)" }),
      ("validator", validator), ("restarts", "\(restarts)"), ("told", isTold ? "yes" : nil),
    ]
    return fields.compactMap { name, value in value.map { "\(name) \($0)\n" } }.joined()
  }

  /// Nil when a field is missing.
  package init?(identifier: String, record: String) {
    var fields: [Substring: String] = [:]
    for line in record.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = String(parts[1]) }
    }
    guard let session = fields["session"], let url = fields["url"], let destination = fields["destination"],
      let added = fields["added"].flatMap({ Int64($0) }), let word = fields["state"]
    else { return nil }
    self.init(
      identifier: identifier, session: session, program: fields["program"], url: url,
      destination: destination, isDiscretionary: fields["discretionary"] != nil,
      checksum: fields["checksum"], addedAt: added)
    switch word {
    case "finished": state = .finished
    case "failed": state = .failed(fields["reason"] ?? "")
    default: state = .open(why: fields["reason"])
    }
    expectedBytes = fields["bytes"].flatMap { Int64($0) }
    (validator, isTold) = (fields["validator"], fields["told"] != nil)
    restarts = fields["restarts"].flatMap { Int($0) } ?? 0
  }
}

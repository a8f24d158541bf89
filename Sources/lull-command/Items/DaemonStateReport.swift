import LullWire

/// The report of `lull daemon status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct DaemonStateReport: Encodable, Equatable {
  let daemon: DaemonItem
  let socket: String
  /// The programs that are managed, and those of them that sleep.
  let programs: Int
  let asleep: Int
  let remarks: [String]

  enum CodingKeys: String, CodingKey {
    case socket, programs, asleep, remarks
  }

  init(_ status: StatusReport, socket: String) {
    (daemon, self.socket, remarks) = (status.daemon, socket, status.remarks)
    let managed = status.programs.filter { $0.managed != nil }
    programs = managed.count
    asleep = managed.count { $0.state == "suspended" }
  }

  func encode(to encoder: any Encoder) throws {
    try daemon.encode(to: encoder)
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(socket, forKey: .socket)
    try keys.encode(programs, forKey: .programs)
    try keys.encode(asleep, forKey: .asleep)
    try keys.encode(remarks, forKey: .remarks)
  }
}

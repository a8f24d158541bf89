import LullWire

/// What running programs have declared of their lines beside what their watch needs.
struct DeclaredLines {
  struct Declaration {
    let line: LineID
    let name: String?
    let purpose: LinePurpose
    let offload: Offload
    let tcpKeepAlive: Interval?
    let isEncrypted: Bool
    var state: [UInt8] = []

    init(_ hold: Request.Hold, as line: LineID) {
      (self.line, name, purpose) = (line, hold.name, hold.type ?? .voip)
      (offload, tcpKeepAlive, isEncrypted) = (hold.offload, hold.tcpKeepAlive, hold.isEncrypted)
    }

    func record(_ id: LineID, of program: String, since: Interval) -> KeptLine {
      KeptLine(
        id: id, program: program, name: name, purpose: purpose, offload: offload,
        tcpKeepAlive: tcpKeepAlive, since: since, state: state)
    }
  }

  private var programs = AppTable<[Declaration]>()

  subscript(line: LineID, of id: AppID) -> Declaration? {
    programs[id]?.first { $0.line == line }
  }

  mutating func add(_ declaration: Declaration, of id: AppID) {
    programs.update(id, else: []) { $0.append(declaration) }
  }

  mutating func setState(_ state: [UInt8], of line: LineID, of id: AppID) {
    programs.update(id) { lines in
      if let index = lines.firstIndex(where: { $0.line == line }) { lines[index].state = state }
    }
  }

  mutating func remove(_ line: LineID, of id: AppID) {
    programs.update(id) { $0.removeAll { $0.line == line } }
  }

  mutating func forget(_ id: AppID) { programs[id] = nil }
}

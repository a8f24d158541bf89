import LullSystem
import LullWire

struct Reception {
  private var door: Door
  private var admission: Admission
  private let journal: Journal

  init(_ listener: DescriptorBox, _ services: SharedServices) {
    journal = services.journal
    door = Door(listener, services)
    admission = Admission(services.options)
  }

  mutating func open() throws(SystemError) { try door.open() }

  var listener: DescriptorBox { door.listener }

  func leadsHere(_ descriptor: DescriptorBox) -> Bool { door.leadsHere(descriptor) }

  mutating func accept(
    into table: inout ClientTable, of programs: ProgramClients, role: (_ pid: Int32) -> Client.Role
  ) {
    for _ in 0..<Door.acceptedAtOnce {
      switch door.accept() {
      case .nobody: return
      case .refused: continue
      case .came(let descriptor, let isLent):
        do throws(Rejection) {
          try admit(descriptor, isLent: isLent, to: &table, of: programs, role: role)
        } catch {
          door.refuse(descriptor, error)
        }
        if isLent { door.takeBack() }
      }
    }
  }

  private mutating func admit(
    _ descriptor: DescriptorBox, isLent: Bool, to table: inout ClientTable, of programs: ProgramClients,
    role: (Int32) -> Client.Role
  ) throws(Rejection) {
    let peer = try PeerProcess.identify(descriptor, journal)
    let role = role(peer.pid)
    // Facts that were read by the number are about this process only if it has the number still. A child of a
    // dead process may go on with the connection, and would pass for a process outside its program.
    guard Process.isNumbered(peer.pidfd.raw) else {
      throw Rejection(.refused, "the process that connected has ended; connect again")
    }
    let program: AppID? = if case .program(let id) = role { id } else { nil }
    try admission.checkRoom(
      for: peer.pid, ofProgram: program.map { programs.connections(of: $0).count }, all: table.count,
      isLent: isLent)
    let client: Client
    do {
      client = try table.insert(descriptor, of: peer, as: role, isLent: isLent)
    } catch {
      throw Rejection(.tooManyClients, "the connection cannot be watched: \(error)")
    }
    admission.entered(peer.pid)
    if let program { programs.connect(client, to: program) }
  }

  mutating func left(_ client: Client) {
    admission.left(client.pid)
    if client.isLent { door.takeBack() }
  }

  var deadline: Int64? { door.opensAgainAt }

  mutating func timePassed(now: Int64) { door.openAgain(at: now) }
}

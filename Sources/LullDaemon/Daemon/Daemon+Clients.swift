import LullChannel
import LullSystem
import LullWire

extension Daemon {
  func acceptClients() { control.accept(role: role(of:)) }

  func clientReady(_ slot: Slot, _ readiness: Readiness) {
    guard let client = control[slot] else { return }
    if !readiness.isDisjoint(with: [.writable, .hangUp, .error]) { flush(client) }
    if let reads = control.readsDue(of: client, readiness) { hear(client, reads: reads) }
  }

  func hear(_ client: Client, reads: Int) {
    var reads = reads
    while let request = control.next(from: client, reads: &reads) {
      handle(request.message, request.descriptor, from: client)
    }
    clientsLeft()
  }

  /// Every process of the program counts, also those that only ask: a reply must not come into its sleep.
  func hear(_ program: Program) {
    acceptClients()
    for client in control.programs.connections(of: program.id) {
      hear(client, reads: RequestReader.readsAtOnce)
      flush(client)
    }
  }

  private func flush(_ client: Client) {
    control.flush(client, records(of:atMost:))
    clientsLeft()
  }

  func flushClients() {
    tellFollowers()
    while control.flushNext(records(of:atMost:)) { clientsLeft() }
  }

  private func clientsLeft() {
    while let departure = control.nextDeparture() {
      lifecycle.giveUp(lifecycle.reservations.take(departure.client.slot))
      for program in departure.abandoned.compactMap(program) {
        // That of a "lull watch" which was killed.
        if program.suspender.isDryRun { letGo(program) } else { lifecycle.abandoned(program) }
      }
      guard let program = departure.program.flatMap(program) else { continue }
      sound.endSessions(of: program, from: departure.client)
      if departure.wasSpeaker { lifecycle.speakerGone(program) }
    }
  }

  /// A process in a program's cgroup speaks for that program. Where there are no cgroups, the program's own
  /// process and its children do.
  private func role(of pid: Int32) -> Client.Role {
    if let path = suspenders.cgroupPath(of: pid), let program = programs.first(inCgroup: path) {
      return .program(program.id)
    }
    // An unmanaged client speaks for itself alone: its children are no part of it.
    if let unmanaged = programs.first(where: { $0.isUnmanaged && $0.pid == pid }) {
      return .program(unmanaged.id)
    }
    var ancestor = pid
    for _ in 0..<64 where ancestor > 1 {
      if let program = lifecycle.signalled(ancestor) { return .program(program.id) }
      guard let parent = parent(of: ancestor) else { break }
      ancestor = parent
    }
    return .operator
  }
}

internal import LullEngine

/// Measures what programs play straight to sound servers, past their sessions, once a second as long as lulld
/// asks for it.
package final class StraightStreams {
  /// The nanoseconds from one look to the next while something runs, and while nothing does.
  private static let pause: Int64 = 1_000_000_000
  private static let longPause: Int64 = 5_000_000_000
  /// The nanoseconds that a server may take to accept a connection.
  private static let patience: Int64 = 200_000_000

  private let audience: Audience
  private let report: (AudioReport) -> Void
  private var programs: [StraightProgram] = []
  private var connections: [String: PulseConnection] = [:]
  private var due: Int64 = .min

  /// `report` is called in a pass.
  package init(audience: Audience, report: @escaping (AudioReport) -> Void) {
    (self.audience, self.report) = (audience, report)
  }

  /// Looks for what a process of a program plays and records at the server with this address; a pass should
  /// follow. `measures`: what it plays is measured.
  package func listen(
    to pid: Int32, of program: UInt64, at server: String, silence: Interval?, measures: Bool = true
  ) {
    if let known = programs.first(where: { $0.program == program }), known.server != server {
      leave(program)
    }
    if !programs.contains(where: { $0.program == program }) {
      let hearing = audience.hearing(program, silence: silence)
      programs.append(StraightProgram(program, at: server, hearing: hearing, measures: measures))
    }
    programs.first { $0.program == program }?.pids.insert(pid)
    due = .min
  }

  package func leave(_ program: UInt64) {
    for left in programs where left.program == program { audience.forget(left.ear) }
    programs.removeAll { $0.program == program }
    connections = connections.filter { server, _ in programs.contains { $0.server == server } }
  }

  package func leaveAll() { for program in programs { leave(program.program) } }

  /// Returns the time of the next pass; nil when nothing is measured.
  package func pass(now: Int64) -> Int64? {
    guard !programs.isEmpty else { return nil }
    guard due <= now else { return due }
    for program in programs { look(at: program, now: now) }
    let look = now + (programs.allSatisfy { $0.state == .none } ? Self.longPause : Self.pause)
    let quiet = programs.compactMap { $0.ear.hearing.deadline(now: now) }.min() ?? look
    due = min(look, max(quiet, now + 500_000))
    return due
  }

  private func look(at program: StraightProgram, now: Int64) {
    let before = program.state
    do throws(SinkError) {
      try program.look(on: connection(to: program.server), now: now)
    } catch {
      // What the program plays is not known when its server is not reached: its threads tell.
      connections[program.server] = nil
      program.stop(.none, now: now)
    }
    program.settle(now: now)
    if program.state != before { report(.streams(program: program.program, program.state)) }
  }

  private func connection(to server: String) throws(SinkError) -> PulseConnection {
    if let known = connections[server] { return known }
    let connection = try PulseConnection(PulseAddress(server: server), within: Self.patience)
    connections[server] = connection
    return connection
  }
}

import LullEngine
import LullSystem

// A command that has outlived its daemon returns: its parent asks for room as for a start, moves its
// processes there, and hands it over. The processes may have come to this daemon before, each for itself.
extension LifecycleFeature {
  /// The longest way from a process of a command to its parent.
  private static var generations: Int { 64 }

  func letGo(_ name: String, of parent: Client) {
    guard let program = host.engine.find(name: name).flatMap(program) else { return }
    letGo(program, of: parent)
  }

  /// Has the processes of a command that has returned connect anew, or takes their connections over: then
  /// they speak for it.
  func gather(_ command: Program, of parent: Client) {
    command.returned(until: seenAt + host.policy.returnTime.nanoseconds)
    for other in Array(programs) where other.id != command.id { letGo(other, of: parent) }
    // The race: a process that opens an audio session has connected before, and asks for the session now. It
    // would become a program of its own beside its command, which is frozen while it waits for the answer.
    control.enter(command.id) { descends($0, from: parent.pid) }
    journal.note(
      program: command.name, what: "returned",
      detail: "it has outlived its daemon: process \(command.pid)")
  }

  private func letGo(_ program: Program, of parent: Client) {
    guard !program.isCommand, descends(program.pid, from: parent.pid), Process.isNumbered(program.pidfd.raw)
    else { return }
    letGo(program)
  }

  /// Lets go what speaks for a program through the library: it speaks anew on `client`, or on a connection
  /// that it makes when its own is closed.
  func letGo(_ program: Program, for client: Client? = nil) {
    let speaker = control.programs.speaker(of: program.id)
    for other in control.programs.connections(of: program.id) where other !== client {
      if other === speaker || !program.isCommand { control.close(other) }
    }
    programs.stays(program.id)
    sources.dropAll(of: program.id)
    program.comesBack()
    feed(.leave(program.id))
  }

  private func descends(_ pid: Int32, from ancestor: Int32) -> Bool {
    var pid = pid
    for _ in 0..<Self.generations where pid > 1 {
      guard let parent = parent(of: pid) else { return false }
      if parent == ancestor { return true }
      pid = parent
    }
    return false
  }
}

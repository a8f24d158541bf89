import LullEngine
import LullSystem
import LullWire

/// A part with a life of its own: it has deadlines, children and records of programs. It is registered in
/// `Daemon.features`, whose order is the order of these calls.
///
/// Effects, readiness and requests are not among them: each has one owner, which a switch over all of them
/// names (`Daemon+Effects`, `Daemon+Loop`, `Daemon+Requests`), so that the compiler finds the one that is
/// forgotten.
protocol Feature: AnyObject, Part {
  /// The moment of `timeIsUp`, on CLOCK_BOOTTIME.
  var deadline: Int64? { get }
  /// A timer of the daemon has come to its moment, perhaps for another feature.
  func timeIsUp()
  /// A child of the daemon has ended or was stopped.
  func childrenChanged()
  /// Feeds the engine what came up in the turn. It is called again while thaws or output follow from it.
  func settle()
  /// Does the work that can wait until every thaw of the turn is written.
  func turnEnds()
  /// The engine has forgotten the program, which is still in the table.
  func forget(_ program: Program)
  /// The daemon ends, perhaps for another one that goes on (`goesOn`).
  func finish(goesOn: Bool)
  var checks: [DaemonCheckItem] { get }
}

/// Nil stands for a moment that never comes.
func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}

extension Feature {
  var deadline: Int64? { nil }
  func timeIsUp() {}
  func childrenChanged() {}
  func settle() {}
  func turnEnds() {}
  func forget(_ program: Program) {}
  func finish(goesOn: Bool) {}
  var checks: [DaemonCheckItem] { [] }
}

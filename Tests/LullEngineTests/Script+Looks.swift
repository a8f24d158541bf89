import LullEngine
import Testing

/// Looks at a command that sleeps by itself, called "server".
extension Script {
  /// Tried, and looked at for the first time at 2 s.
  static func lookedAt(
    policy: Policy = Script.prompt, _ configure: (inout Registration) -> Void = { _ in }
  ) -> Script {
    var script = Script(policy: policy)
    script.run("server", configure)
    script.pass(to: 1)
    script.frozen("server")
    script.pass(to: 2)
    return script
  }

  /// What a look comes to: a reason, or how the server is watched.
  mutating func look(_ observation: Observation) -> String {
    _ = takeNotes()
    let effects = observed("server", observation)
    for case .freezeRefused(let why, _) in takeNotes() { return why.rawValue }
    return effects.joined(separator: "; ")
  }

  /// Lets time pass until the next look begins, and tells when it does.
  mutating func nextLook() -> Double {
    let last = freezeTicket("server")
    while freezeTicket("server") == last, let deadline = engine.deadline {
      pass(to: (deadline - Moment(0)).seconds)
    }
    return (now - Moment(0)).seconds
  }

  /// The last refusal is about this.
  var detail: Detail { engine.program(id("server"), at: now)?.lastDetail ?? .none }

  /// The look finds it idle, and it sleeps.
  mutating func sleeps(_ observation: Observation, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(look(observation).hasPrefix("watch"), sourceLocation: sourceLocation)
    feed(.frozen(id("server"), freezeTicket("server")))
    #expect(state("server") == .suspended, sourceLocation: sourceLocation)
  }
}

import LullEngine

/// How a program behaves; in per mille of the occasions.
struct Temper {
  /// It does not do what it should.
  var bad = 0
  /// It dies at something that happens to it.
  var deadly = 0
  /// A message of it is on its way while it is frozen already.
  var inFlight = 0
  /// What it does is about sound.
  var loud = 0
  /// Two sessions of it cancel each other.
  var cancels = false
  /// How long it takes to answer.
  var latency = Interval.milliseconds(5)
  /// The mean time between two things that it does by itself.
  var pace = Interval.seconds(60)

  static func random(_ scenario: Scenario, _ chance: inout Chance) -> Temper {
    var temper = Temper()
    if chance.happens(scenario.badPrograms) { temper.bad = scenario.badness }
    temper.deadly = scenario.deaths
    temper.inFlight = scenario.inFlight
    if chance.happens(scenario.players) { temper.loud = chance.pick([300, 900]) }
    temper.cancels = chance.happens(100)
    temper.latency = chance.pick([.zero, .milliseconds(5), .milliseconds(100), .seconds(1)])
    temper.pace = scenario.programPace
    return temper
  }
}

/// What a program does, now or in a while.
enum Deed {
  /// It sends a message to the daemon.
  case say(Event)
  /// It closes a line's descriptor without a word.
  case close(LineID)
  /// It plays or pauses a session, by a word in its ring.
  case playSound(FakeSession, Bool)
  /// It writes nonsense into its ring.
  case cutSound(FakeSession)
  /// It seeks, or pauses for less than it takes to fall silent.
  case interruptSound(FakeSession)
  /// It ends.
  case exit
  /// It ends with this status.
  case end(ExitStatus)
  /// It does something by itself.
  case act
}

/// What an answer is about.
enum Ask {
  case register
  case adopt(Registration)
  case hold(LineKind, Offload, listens: Bool)
  /// The daemon's own, about a descriptor of a command.
  case find(LineKind, listens: Bool, isFull: Bool)
  case release(LineID)
  case keepAlive(Interval?)
  case begin(forgets: Bool)
  case end(TaskID)
  case openSession(SoundSession)
  case endSession(SessionID?)
  case notify
  case other
}

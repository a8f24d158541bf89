import LullEngine

/// The behaviour of a program, in per mille of the occasions.
struct Temper {
  /// The program does not do what it should.
  var bad = 0
  /// The program ends none of its tasks, and is good otherwise.
  var hoardsTasks = false
  /// The program dies at something that happens to it.
  var deadly = 0
  /// A message of the program is on its way while it is frozen already.
  var inFlight = 0
  /// The program acts with its sound.
  var loud = 0
  /// Two sessions of the program cancel each other.
  var cancels = false
  var latency = Interval.milliseconds(5)
  /// The mean time between two acts of the program itself.
  var pace = Interval.seconds(60)

  static func random(_ scenario: Scenario, _ chance: inout Chance) -> Temper {
    var temper = Temper()
    if chance.happens(scenario.badPrograms) { temper.bad = scenario.badness }
    temper.hoardsTasks = chance.happens(60)
    temper.deadly = scenario.deaths
    temper.inFlight = scenario.inFlight
    if chance.happens(scenario.players) { temper.loud = chance.pick([300, 900]) }
    temper.cancels = chance.happens(100)
    temper.latency = chance.pick([.zero, .milliseconds(5), .milliseconds(100), .seconds(1)])
    temper.pace = scenario.programPace
    return temper
  }
}

/// A deed of a program, now or in a while.
enum Deed {
  /// The program sends a message to the daemon.
  case say(Event)
  /// The program sends a request to the daemon; `Ask` is the subject of the answer.
  case ask(Engine.Request, Ask)
  /// The program closes a line's descriptor without a word.
  case close(LineID)
  /// The program plays or pauses a session, by a word in its ring.
  case playSound(FakeSession, Bool)
  /// The program writes nonsense into its ring.
  case cutSound(FakeSession)
  /// The program seeks, or pauses for less than it takes to fall silent.
  case interruptSound(FakeSession)
  /// The program ends.
  case exit
  /// The program ends with this status.
  case end(ExitStatus)
  /// The program does something by itself.
  case act
}

enum Ask {
  case register
  case adopt(Registration)
  case hold(LinePurpose, Offload, listens: Bool)
  /// The daemon's own request, about a descriptor of a command.
  case find(LinePurpose, listens: Bool, isFull: Bool)
  case release(LineID)
  case keepAlive(Interval?)
  case begin(forgets: Bool)
  case end(TaskID)
  case openSession(SessionTraits)
  case endSession(SessionID?)
  case notify
  case other
}

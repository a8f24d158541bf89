import LullEngine

/// The world of one seed: the engine's limits, how busy everybody is and how much goes wrong. Rates are in
/// per mille.
struct Scenario {
  var policy = Policy()
  var programs = 8
  /// The mean time between two acts of a program itself.
  var programPace = Interval.seconds(60)
  /// The mean time between two arrivals on the lines of one program that sleeps.
  var peerPace = Interval.seconds(60)
  /// The mean time between two requests of the operator.
  var operatorPace = Interval.seconds(60)
  /// The mean time between two settings of the wall clock.
  var clockPace = Interval.seconds(3600)

  /// The mean time between two times at which the machine is suspended; nil: it never is.
  var suspendPace: Interval?

  var freezeLate = 0, freezeNever = 0, freezeRefused = 0
  /// Bytes at the worst moment: around a freeze, at a thaw, together with a tick.
  var worstMoment = 0
  /// A line's readiness is reported only after `reportMost`.
  var reportLate = 0
  var reportMost = Interval.zero
  /// A program whose limit has passed stands in a debugger.
  var traced = 200
  /// A report of readiness that was read before the thaw reaches the engine after it.
  var staleReport = 0
  /// Something that was told once is told again, when it is no longer true or its program is gone.
  var ghosts = 0
  /// A message of a program arrives while the program is frozen already.
  var inFlight = 0
  var tickLate = 0, tickEarly = 0
  var tickMost = Interval.zero
  /// The rates of programs that play sound, and of unmanaged clients.
  var players = 0, unmanaged = 0
  /// The mean time between two changes of the route, and between two crashes of lull-audio.
  var devicePace = Interval.seconds(600)
  /// The rate of bad programs, and of their bad deeds.
  var badPrograms = 0, badness = 0
  /// The rate of programs that can come back when they are purged, and the mean time between two episodes of
  /// short memory.
  var purgeable = 0
  var pressurePace = Interval.seconds(600)
  var deaths = 0

  /// The rate of installed programs, and of starts of them that fail.
  var installed = 0, failedStarts = 0

  var commands = 150
  /// An observation finds a command busy.
  var busyObservations = 0
  /// A look meets a program that has just begun a long call, or work in short naps.
  var activity = 0
  /// The operator interferes with a command while it is being observed.
  var nudges = 0
  /// Somebody else thaws a sleeper.
  var strangeThaws = 0
  /// A process of a command ends while the command is being observed or sleeps.
  var childDeaths = 0
  /// A command does not survive being frozen and thawed.
  var trialDeaths = 0

  /// The longest time for which bytes can lie unseen through no fault of the engine.
  var patience: Interval { policy.freezeLimit + reportMost + tickMost }

  /// A world in which nothing goes wrong.
  static let calm = Scenario()

  static func random(_ chance: inout Chance) -> Scenario {
    var scenario = Scenario()
    scenario.policy = randomPolicy(&chance)
    scenario.programs = chance.happens(50) ? 150 + chance.below(250) : 1 + chance.below(40)
    let paces: [Interval] = [.milliseconds(300), .seconds(5), .seconds(30), .seconds(200), .seconds(1500)]
    scenario.programPace = chance.pick(paces)
    scenario.peerPace = chance.pick(paces)
    scenario.operatorPace = chance.pick(paces)
    scenario.clockPace = chance.pick([.seconds(60), .seconds(3600)])
    scenario.suspendPace = chance.pick([nil, .seconds(60), .seconds(1500)])
    func rate(_ choices: [Int]) -> Int { chance.pick(choices) }
    scenario.freezeLate = rate([0, 50, 300])
    scenario.freezeNever = rate([0, 10, 100])
    scenario.freezeRefused = rate([0, 20, 300])
    scenario.worstMoment = rate([0, 100, 500])
    scenario.reportLate = rate([0, 100])
    scenario.reportMost = scenario.reportLate > 0 ? .milliseconds(50) : .zero
    scenario.staleReport = rate([0, 100])
    scenario.inFlight = rate([0, 200])
    scenario.ghosts = rate([0, 0, 50])
    scenario.tickLate = rate([0, 0, 50, 500])
    scenario.tickMost =
      scenario.tickLate > 0 ? chance.pick([.milliseconds(5), .seconds(1), .seconds(90)]) : .zero
    scenario.tickEarly = rate([0, 100])
    scenario.badPrograms = rate([0, 300, 700])
    scenario.badness = rate([5, 50, 200])
    scenario.deaths = rate([0, 0, 5, 30])
    scenario.commands = rate([150, 150, 500])
    scenario.busyObservations = rate([0, 100, 600])
    scenario.activity = rate([0, 20, 200])
    scenario.nudges = rate([0, 30, 200])
    scenario.childDeaths = rate([0, 50, 300])
    scenario.strangeThaws = rate([0, 30, 200])
    scenario.trialDeaths = rate([0, 50, 400])
    scenario.players = rate([0, 300, 900])
    scenario.unmanaged = scenario.players > 0 ? rate([0, 100]) : 0
    scenario.purgeable = rate([0, 200, 700])
    scenario.pressurePace = chance.pick([.seconds(20), .seconds(300)])
    scenario.devicePace = chance.pick([.seconds(30), .seconds(600)])
    scenario.installed = rate([0, 300, 900])
    scenario.failedStarts = rate([50, 500])
    return scenario
  }

  /// Half of the limits are the defaults; the others are cut to a random part of them.
  private static func randomPolicy(_ chance: inout Chance) -> Policy {
    var policy = Policy()
    func cut(_ limit: Interval) -> Interval {
      chance.happens(500) ? limit : Interval(nanoseconds: 1 + chance.upTo(limit).nanoseconds)
    }
    func cut(_ count: Int) -> Int { chance.happens(500) ? count : 1 + chance.below(min(count, 6)) }
    policy.processes = ProcessPolicy()
    policy.launchLimit = cut(policy.launchLimit)
    policy.backgroundLimit = cut(policy.backgroundLimit)
    policy.terminateLimit = cut(policy.terminateLimit)
    policy.wakeRunTime = cut(policy.wakeRunTime)
    policy.keepAliveRunTime = cut(policy.keepAliveRunTime)
    policy.lostConnectionGrace = cut(policy.lostConnectionGrace)
    if chance.happens(300) { policy.keepAliveMinimum = .seconds(60) }
    policy.fetchRunTime = cut(policy.fetchRunTime)
    if chance.happens(500) { policy.fetchMinimum = .seconds(60) }
    policy.taskBudgetIOS4 = cut(policy.taskBudgetIOS4)
    policy.taskBudgetIOS7 = cut(policy.taskBudgetIOS7)
    policy.expirationLead = cut(policy.expirationLead)
    policy.wakeBudget = cut(policy.wakeBudget)
    policy.wakeBudgetPeriod = cut(policy.wakeBudgetPeriod)
    policy.freezeLimit = cut(policy.freezeLimit)
    policy.freezeRetryFirst = cut(policy.freezeRetryFirst)
    policy.freezeRetryLast = cut(policy.freezeRetryLast)
    policy.offloadLimit = cut(policy.offloadLimit)
    policy.answersPerPeriod = cut(policy.answersPerPeriod)
    policy.answerPeriod = cut(policy.answerPeriod)
    policy.idleFirst = cut(policy.idleFirst)
    policy.idleLast = cut(policy.idleLast)
    policy.linger = cut(policy.linger)
    policy.timerFloor = cut(policy.timerFloor)
    policy.disregardAfter = cut(policy.disregardAfter)
    policy.quiet = cut(policy.quiet)
    policy.accessoryQuiet = cut(policy.accessoryQuiet)
    policy.accessoryLimit = cut(policy.accessoryLimit)
    policy.endingTime = cut(policy.endingTime)
    policy.trialObservation = cut(policy.trialObservation)
    policy.trialBlame = cut(policy.trialBlame)
    if chance.happens(200) { policy.maximumPrograms = 1 + chance.below(30) }
    policy.maximumLines = cut(policy.maximumLines)
    policy.maximumTasks = cut(policy.maximumTasks)
    policy.maximumNotifications = cut(policy.maximumNotifications)
    policy.maximumSessions = cut(policy.maximumSessions)
    policy.silentRefills = cut(policy.silentRefills)
    policy.silentRefillTime = cut(policy.silentRefillTime)
    policy.pressure.settling = cut(policy.pressure.settling)
    policy.pressure.relief = cut(policy.pressure.relief)
    policy.pressure.measuring = cut(policy.pressure.measuring)
    policy.pressure.restFirst = cut(policy.pressure.restFirst)
    policy.audibility.startGrace = cut(policy.audibility.startGrace)
    if chance.happens(300) { policy.audibility.hangoverSeconds = 1 + chance.below(10) }
    policy.startsAtOnce = cut(policy.startsAtOnce)
    policy.launchesAtOnce = cut(policy.launchesAtOnce)
    policy.launchTime = cut(policy.launchTime)
    policy.commandStart = cut(policy.commandStart)
    policy.crashWaitLast = cut(policy.crashWaitLast)
    policy.crashForgotten = cut(policy.crashForgotten)
    policy.settlingTime = min(policy.settlingTime, policy.freezeRetryFirst)
    return policy
  }
}

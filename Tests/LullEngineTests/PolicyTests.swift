import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct PolicyTests {
  @Test func `the times are those that the documents name`() {
    let policy = Policy()
    let times: [(KeyPath<Policy, Interval>, Interval)] = [
      (\.launchLimit, .seconds(5)), (\.backgroundLimit, .seconds(5)), (\.terminateLimit, .seconds(5)),
      (\.wakeRunTime, .seconds(10)), (\.keepAliveRunTime, .seconds(10)),
      (\.lostConnectionGrace, .seconds(60)), (\.endingTime, .seconds(60)),
      (\.taskBudgetIOS4, .seconds(600)), (\.taskBudgetIOS7, .seconds(180)),
      (\.expirationLead, .seconds(5)), (\.wakeBudgetPeriod, .seconds(300)),
      (\.freezeLimit, .seconds(2)), (\.settlingTime, .milliseconds(1).scaled(by: 1, over: 5)),
      (\.freezeRetryFirst, .milliseconds(2)), (\.freezeRetryLast, .seconds(60)),
      (\.idleFirst, .milliseconds(25)), (\.idleLast, .seconds(10)), (\.linger, .seconds(1)),
      (\.observationPause, .seconds(60)), (\.trialObservation, .seconds(1)),
      (\.trialBlame, .milliseconds(200)), (\.keepAliveMinimum, .seconds(600)),
      (\.offloadLimit, .seconds(600)), (\.answerPeriod, .seconds(60)),
      (\.timerFloor, .seconds(600)), (\.timerFloorLeast, .seconds(15)),
      (\.timerFloorMinimum, .seconds(5)), (\.wakeTimerMinimum, .seconds(15)),
      (\.crashWaitFirst, .seconds(1)), (\.crashWaitLast, .seconds(300)), (\.crashForgotten, .seconds(600)),
      (\.launchTime, .seconds(60)), (\.silentRefills, .seconds(600)), (\.silentRefillTime, .seconds(2)),
      (\.pressure.settling, .seconds(3)), (\.pressure.restFirst, .seconds(30)),
      (\.pressure.restLast, .seconds(600)),
    ]
    for (path, time) in times { #expect(policy[keyPath: path] == time, "\(path)") }
    let processes = ProcessPolicy()
    #expect((processes.compactAfter, processes.compactAgain) == (.seconds(10), .seconds(3600)))
    #expect((processes.lockCheck, processes.lockCheckLast) == (.seconds(1), .seconds(8)))
  }

  @Test(arguments: [(0, 0), (1, 25), (40, 1_000), (800, 20_000), (5_000, 20_000)])
  func `after a burst each program has its time, up to a bound`(thaws: Int, microseconds: Int64) {
    let pause = Policy().supervision.pause(afterThaws: thaws)
    #expect(pause == Interval(nanoseconds: microseconds * 1_000))
  }

  @Test func `the counts are those that the documents name`() {
    let policy = Policy()
    let counts: [(KeyPath<Policy, Int>, Int)] = [
      (\.maximumPrograms, 2048), (\.maximumLines, 16_384), (\.maximumTasks, 128),
      (\.maximumNotifications, 128), (\.maximumSessions, 32), (\.wakeBudget, 15),
      (\.answersPerPeriod, 30), (\.startsAtOnce, 4), (\.launchesAtOnce, 8), (\.crashesInRow, 3),
    ]
    for (path, count) in counts { #expect(policy[keyPath: path] == count, "\(path)") }
    #expect((policy.observationShare, policy.observationCrowd) == (200, 10))
    #expect(policy.silentRefillShare == 9)
  }

  @Test func `a machine is short of memory while less than a fifth is available`() {
    let policy = PressurePolicy()
    #expect(policy.shortPercent == 20 && policy.machineRest == .seconds(30))
    #expect(policy.isShort(available: 4_999, of: 25_000))
    #expect(!policy.isShort(available: 5_000, of: 25_000))
    #expect(!policy.isShort(available: .max, of: .max))
  }
}

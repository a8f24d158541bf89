import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct PolicyTests {
  @Test func `the defaults are those that the documents name`() {
    let policy = Policy()
    #expect(policy.launchLimit == .seconds(5))
    #expect(policy.backgroundLimit == .seconds(5))
    #expect(policy.terminateLimit == .seconds(5))
    #expect(policy.wakeRunTime == .seconds(10))
    #expect(policy.keepAliveRunTime == .seconds(10))
    #expect(policy.lostConnectionGrace == .seconds(60))
    #expect(policy.taskBudget(.ios4) == .seconds(600))
    #expect(policy.taskBudget(.ios7) == .seconds(180))
    #expect(policy.expirationLead == .seconds(5))
    #expect(policy.maximumNotifications == Bounds.scheduledNotifications)
    #expect(policy.wakeBudget == 15)
    #expect(policy.wakeBudgetPeriod == .seconds(300))
  }

  @Test func `the defaults of freezing, keep-alive and offload are those that the documents name`() {
    let policy = Policy()
    #expect(policy.freezeLimit == .seconds(2))
    #expect(policy.keepAliveMinimum == Bounds.shortestKeepAlive)
    #expect(policy.offloadLimit == .seconds(600))
    #expect(policy.freezeRetryFirst == .milliseconds(2))
    #expect(policy.freezeRetryLast == .seconds(60))
  }

  @Test func `a machine is short of memory while less than a fifth is available`() {
    let policy = PressurePolicy()
    #expect(policy.shortPercent == 20 && policy.machineRest == .seconds(30))
    #expect(policy.isShort(available: 4_999, of: 25_000))
    #expect(!policy.isShort(available: 5_000, of: 25_000))
    #expect(!policy.isShort(available: .max, of: .max))
  }
}

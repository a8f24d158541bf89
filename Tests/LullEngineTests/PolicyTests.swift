import LullEngine
import Testing

@Suite struct PolicyTests {
  @Test func `the defaults are the table of the design, section 3.1`() {
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
    #expect(policy.maximumNotifications == 128)
    #expect(policy.wakeBudget == 15)
    #expect(policy.wakeBudgetPeriod == .seconds(300))
  }

  @Test func `the defaults of freezing, keep-alive and offload are those of sections 3.2 and 3.3`() {
    let policy = Policy()
    #expect(policy.freezeLimit == .seconds(2))
    #expect(policy.keepAliveMinimum == .seconds(600))
    #expect(policy.offloadLimit == .seconds(600))
    #expect(policy.freezeRetryFirst == .milliseconds(2))
    #expect(policy.freezeRetryLast == .seconds(60))
  }
}

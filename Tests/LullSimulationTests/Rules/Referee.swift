import LullEngine

/// Judges every step by every rule.
struct Referee {
  let ledger: Ledger
  private let rules: [any Rule]

  init(policy: Policy, lateness: Interval = .zero, rules: [any Rule] = Referee.allRules) {
    ledger = Ledger(policy: policy, lateness: lateness)
    self.rules = rules
  }

  static var allRules: [any Rule] {
    [
      NothingUnseen(), FirmGrace(), FirstLook(), SparedRuns(), ToldOnly(), Trials(), SparedOnce(),
      PathsKept(), ConditionsFalse(), WakeableOnly(), WatchableOnly(), QueriesRepeated(), OwnTimersRun(),
      StandingTimersEnd(), NothingKeepsAwake(), SoftLeases(), FreezeOnlyIdle(), IdleSleeps(), FreezeSettled(),
      SpeakersRun(), ThawFirst(), KeepAliveGaps(), SharedWakes(), MessageOrder(), AnsweredOnce(),
      AnswersFit(), KillCause(), QuietKill(), TasksExpire(), LeaseTimes(), KnownPrograms(), DeadlineHolds(),
      ViewsAgree(), NotificationCounts(), NotificationTimes(), CommandsObeyed(), OffloadLimit(), WakeBudget(),
      TicketsGrow(), SoundKeepsAwake(), SilenceSleeps(), DeepRefilled(), OneVoice(), InterruptionsOnce(),
      GuestsRun(),
    ]
  }

  /// Counts by hand: iterators are most of the time of a debug build.
  func judge(_ step: Step, at now: Moment) throws(Violation) {
    ledger.begin(step.event, at: now)
    let (rules, effects) = (rules, step.effects)
    var rule = 0
    while rule < rules.count {
      try rules[rule].event(step.event, ledger)
      rule += 1
    }
    ledger.take(step.event)
    var index = 0
    while index < effects.count {
      let effect = effects[index]
      rule = 0
      while rule < rules.count {
        try rules[rule].effect(effect, ledger)
        rule += 1
      }
      ledger.take(effect)
      index += 1
    }
    rule = 0
    while rule < rules.count {
      try rules[rule].end(step, ledger)
      rule += 1
    }
  }
}

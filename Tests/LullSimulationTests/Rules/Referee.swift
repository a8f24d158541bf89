import LullEngine

/// Evaluates every step by every rule.
struct Referee {
  let ledger: Ledger
  private let rules: [any Rule]

  init(policy: Policy, lateness: Interval = .zero, rules: [any Rule] = Referee.allRules) {
    ledger = Ledger(policy: policy, lateness: lateness)
    self.rules = rules
  }

  static var allRules: [any Rule] {
    [
      NothingUnseen(), HeldUntilExpiry(), FirstObservation(), ExemptRuns(), ToldOnly(), Trials(),
      ExemptOnce(), PathsKept(), MemoryGivenBack(), LocksLookedAt(), ConditionsFalse(), WakeableOnly(),
      WatchableOnly(),
      QueriesRepeated(), OwnTimersRun(), CutOffsRunOut(), AlarmsHeard(), StandingTimersEnd(),
      NothingKeepsAwake(),
      SoftLeases(), FreezeOnlyIdle(), IdleSleeps(), FreezeSettled(), SpeakersRun(), ThawFirst(),
      KeepAliveGaps(), SharedWakes(), FetchTimes(), MessageOrder(), AnswersFit(), KillCause(), QuietKill(),
      QuitEnds(),
      TasksExpire(), LeaseTimes(), KnownPrograms(), DeadlineHolds(), ViewsAgree(), NotificationCounts(),
      NotificationTimes(), CommandsObeyed(), OffloadLimit(), WakeBudget(), TicketsGrow(), SoundKeepsAwake(),
      SilenceSleeps(), DeepRefilled(), OneVoice(), InterruptionsOnce(), UnmanagedRun(), ChangesTold(),
      LockObeyed(), WakeTimersRun(), LinksTold(), InstalledLaunches(), PurgeOrder(), PurgeOneByOne(),
      PressureSteps(), WeightsFit(), ResumesForCause(), CallsGoOn(), WorkKeepsAwake(), AnswersInTime(),
      UnreadRests(), AccessoriesWake(), RecordingsTold(),
    ]
  }

  /// Counts by hand: iterators take most of the time of a debug build.
  func evaluate(_ step: Step, at now: Moment) throws(Violation) {
    ledger.begin(step.input, at: now)
    let (rules, effects) = (rules, step.effects)
    var rule = 0
    while rule < rules.count {
      try rules[rule].event(step.input.event, ledger)
      rule += 1
    }
    ledger.take(step.input)
    var index = 0
    if let answer = step.answer {
      if let asker = ledger.request?.asker, effects.first == .thaw(asker) {
        repeat {
          try evaluate(effects[index])
          index += 1
        } while index < effects.count && effects[index].wakes(asker) && !isFirstNews(effects[index])
      }
      for rule in rules { try rule.answer(answer, ledger) }
      ledger.take(answer)
    }
    while index < effects.count {
      try evaluate(effects[index])
      index += 1
    }
    rule = 0
    while rule < rules.count {
      try rules[rule].end(step, ledger)
      rule += 1
    }
  }

  /// True for the news to a program that begins to speak: they come with its launch, not with its wake.
  private func isFirstNews(_ effect: Effect) -> Bool {
    if case .adopt = ledger.request, case .changed = effect { true } else { false }
  }

  private func evaluate(_ effect: Effect) throws(Violation) {
    let rules = rules
    var rule = 0
    while rule < rules.count {
      try rules[rule].effect(effect, ledger)
      rule += 1
    }
    ledger.take(effect)
  }
}

extension Effect {
  /// True for the effects of a wake of the program that asks: they come before the effects of its request.
  fileprivate func wakes(_ asker: AppID) -> Bool {
    switch self {
    case .interruption(asker, _, _), .route(asker), .changed(asker, _), .note(asker?, .woke),
      .note(asker?, .freezeTakenBack),
      .note(asker?, .state(.background)), .note(asker?, .overBudget), .note(asker?, .interrupted):
      true
    default: false
    }
  }
}

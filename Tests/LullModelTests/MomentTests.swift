import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct MomentTests {
  private let least = Interval(nanoseconds: .min)
  private let most = Interval(nanoseconds: .max)

  @Test func `intervals are whole nanoseconds`() {
    #expect(Interval.seconds(600).nanoseconds == 600_000_000_000)
    #expect(Interval.milliseconds(100).nanoseconds == 100_000_000)
    #expect(Interval.milliseconds(1500).seconds == 1.5)
    #expect(Interval.zero < .milliseconds(1))
    #expect(least < .zero)
  }

  @Test func `an interval that does not fit is as long as it can be`() {
    #expect(Interval.seconds(.max) == most)
    #expect(Interval.seconds(.min) == least)
    #expect(Interval.milliseconds(.max) == most)
    #expect(Interval.milliseconds(.min) == least)
  }

  @Test func `a part of what does not fit is what it is`() {
    #expect(most.scaled(by: 3, over: 4).nanoseconds == 6_917_529_027_641_081_855)
    #expect(least.scaled(by: 1, over: -1) == most)
    #expect(Interval.seconds(5).scaled(by: 7, over: 0) == most)
    #expect(Interval.seconds(-5).scaled(by: 7, over: 0) == least)
    #expect(Interval.zero.scaled(by: 7, over: 0) == .zero)
    #expect(Interval.zero - least == most)
  }

  @Test func `sums saturate`() {
    #expect(Interval.seconds(1) + .seconds(2) == .seconds(3))
    #expect(most + .seconds(1) == most)
    #expect(least + .seconds(-1) == least)
    #expect(most + least == Interval(nanoseconds: -1))
    #expect(Moment(nanoseconds: .max - 5) + .seconds(1) == .never)
  }

  @Test func `differences saturate, at the ends too`() {
    let zero = Moment(nanoseconds: 0)
    #expect(zero - least == .never)
    #expect(Moment(nanoseconds: -2) - Interval(nanoseconds: .max) == Moment(nanoseconds: .min))
    #expect(Moment(nanoseconds: 5) - Moment(nanoseconds: 7) == Interval(nanoseconds: -2))
    #expect(Moment(nanoseconds: 1) - Moment(nanoseconds: .min) == most)
    #expect(Moment(nanoseconds: .min) - Moment(nanoseconds: 1) == least)
    #expect(Moment(nanoseconds: -1) - Moment(nanoseconds: .min) == most)
  }

  @Test func `never stays never`() {
    #expect(Moment.never + .seconds(1) == .never)
    #expect(Moment.never + .seconds(-1) == .never)
    #expect(Moment.never - .seconds(5) == .never)
    #expect(Moment(nanoseconds: .max - 1) < .never)
  }

  @Test func `scaling multiplies first and saturates`() {
    #expect(Interval.seconds(900).scaled(by: 3, over: 4) == .seconds(675))
    #expect(Interval(nanoseconds: 5).scaled(by: 1, over: 2) == Interval(nanoseconds: 2))
    #expect(most.scaled(by: 2) == most)
    #expect(most.scaled(by: -2) == least)
    #expect(least.scaled(by: 2) == least)
    #expect(least.scaled(by: -2) == most)
    #expect(most.scaled(by: 0) == .zero)
  }
}

import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct ScoreRiseTests {
  @Test func `each value rises by the same`() {
    let rise = ScoreRise(of: [0, 0, 100, -500], by: 600)
    #expect([0, 100, -500].map(rise.raised) == [600, 700, 100 - 1])
    #expect([600, 700, 99].map(rise.former) == [0, 100, -500])
  }

  @Test func `the greatest value is not passed, and two values stay two`() {
    let rise = ScoreRise(of: [300, 500, 1000], by: 800)
    #expect([300, 500, 1000].map(rise.raised) == [999, 998, nil])
  }

  @Test func `what is never to be killed is left alone`() {
    #expect(ScoreRise(of: [-1000], by: 800).steps.isEmpty)
  }

  @Test(arguments: [[0, 600], [0, 600, 1000], [999, 1000], [998, 999, 1000], [-1000, 0, 800]])
  func `every rise can be undone`(values: [Int]) {
    for by in [600, 800] {
      let rise = ScoreRise(of: values, by: by)
      for value in values {
        let now = rise.raised(value) ?? value
        #expect(now >= value && now <= 1000)
        #expect((rise.former(now) ?? now) == value)
      }
    }
  }
}

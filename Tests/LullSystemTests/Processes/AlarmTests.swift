import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct AlarmTests {
  @Test func `An alarm ends a process that stands in a call`() async {
    await #expect(processExitsWith: .signal(Signal.alarm)) {
      Alarm.set(seconds: 1)
      let event = try EventDescriptor()
      _ = try Socket.poll(event.raw, .readable, timeoutMilliseconds: 60_000)
    }
  }

  @Test func `A stopped child is told once for each stop`() throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    #expect(try !Process.hasStopped(child.pidfd))
    for _ in 1...2 {
      try Process.sendSignal(child.pidfd, Signal.stop)
      while try !Process.hasStopped(child.pidfd) {}
      #expect(try !Process.hasStopped(child.pidfd))
      try Process.sendSignal(child.pidfd, Signal.continue)
    }
    try Process.sendSignal(child.pidfd, Signal.kill)
    _ = try child.end()
  }

  @Test func `A signal that is ignored is known`() async {
    await #expect(processExitsWith: .success) {
      #expect(!Signal.isIgnored(Signal.hangUp))
      try Signal.ignore(Signal.hangUp)
      #expect(Signal.isIgnored(Signal.hangUp))
    }
  }
}

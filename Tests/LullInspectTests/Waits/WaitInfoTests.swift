import CLinux
import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct WaitInfoTests {
  @Test func `the members of a set are told with their inodes`() throws {
    let sleeper = try WaitingProgram("set", 3)
    let members = try Process.epollMembers(of: sleeper.pid, number: 20)
    let pid = sleeper.pid
    #expect(members.count == 3)
    #expect(members.allSatisfy { $0.interest.contains([.readable, .edge]) })
    for member in members {
      var status = stat()
      try #require(unsafe stat("/proc/\(pid)/fd/\(member.number)", &status) == 0)
      #expect(member.inode == UInt64(status.st_ino))
    }
    #expect(members.contains { $0.number == 0 })
  }

  @Test func `a set of thousands is told whole`() throws {
    let sleeper = try WaitingProgram("set", 5000)
    let numbers = try Process.epollMembers(of: sleeper.pid, number: 20).map(\.number)
    #expect(Set(numbers).count == 5000 && numbers.count == 5000)
  }

  @Test func `what is no set has no members, and what is not open is an error`() throws {
    let sleeper = try WaitingProgram("sigsuspend")
    #expect(try Process.epollMembers(of: sleeper.pid, number: 0) == [])
    let error = #expect(throws: SystemError.self) { try Process.epollMembers(of: sleeper.pid, number: 900) }
    #expect(error?.isNoSuchFile == true)
  }

  @Test func `a timer is told with its time, or disarmed, or due`() throws {
    let sleeper = try WaitingProgram("timers")
    let hour = try Process.timer(of: sleeper.pid, number: 20)
    let left = try #require(hour.dueIn)
    #expect(left > 3_000_000_000_000 && left <= 3_600_000_000_000 && !hour.isAlarm)
    #expect(try Process.timer(of: sleeper.pid, number: 21) == TimerState(dueIn: nil, isAlarm: false))
    try eventually("the timer did not come due") {
      try Process.timer(of: sleeper.pid, number: 22) == TimerState(dueIn: 0, isAlarm: true)
    }
    let error = #expect(throws: SystemError.self) { try Process.timer(of: sleeper.pid, number: 0) }
    #expect(error?.code == EINVAL)
  }

  @Test func `a timer that wakes the machine is told from one that does not`() throws {
    let plain = try Timer(.boottime)
    let date = try Timer(.realtime)
    let alarm = try Timer(.boottimeAlarm)
    let dateAlarm = Descriptor(owning: timerfd_create(CLOCK_REALTIME_ALARM, 0))
    let numbers = [plain.raw, date.raw, alarm.raw, dateAlarm.raw]
    let areAlarms = try numbers.map { try Process.timer(of: getpid(), number: $0).isAlarm }
    #expect(areAlarms == [false, false, true, true])
    let error = #expect(throws: SystemError.self) { try Process.timer(of: getpid(), number: 900) }
    #expect(error?.isNoSuchFile == true)
  }
}

@Suite(.bounded) struct PendingSignalTests {
  @Test func `a signal for a thread that is not the first is found`() throws {
    let sleeper = try WaitingProgram("threads", 2, bytes: 2)
    let threads = try sleeper.frozenWaits().map(\.thread)
    #expect(try !Process.signals(in: ThreadFiles(of: sleeper.pid), threads: threads).isDue)
    let sender = "import ctypes; ctypes.CDLL(None).syscall(234, \(sleeper.pid), \(threads[1]), 12)"
    try Child(SpawnRequest(["python3", "-c", sender])).end()
    #expect(try Process.signals(in: ThreadFiles(of: sleeper.pid), threads: threads).isDue)
    #expect(try !Process.signals(in: ThreadFiles(of: sleeper.pid), threads: [threads[0]]).isDue)
  }

  @Test func `a signal that a thread takes in its call is found though it is blocked, others are not`() throws
  {
    let sleeper = try WaitingProgram("sigtimedwait")
    try sleeper.group.freeze()
    try Process.sendSignal(sleeper.program.pidfd, SIGCHLD)
    #expect(try !Process.signals(in: ThreadFiles(of: sleeper.pid), threads: [sleeper.pid]).isDue)
    try Process.sendSignal(sleeper.program.pidfd, SIGUSR1)
    #expect(try Process.signals(in: ThreadFiles(of: sleeper.pid), threads: [sleeper.pid]).isDue)
  }
}

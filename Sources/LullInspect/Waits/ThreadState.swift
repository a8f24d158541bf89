package import LullModel
package import LullSystem

package struct WaitedDescriptor: Equatable, Sendable {
  package let number: Int32
  /// Errors and a hang-up end every wait, also a wait for nothing.
  package let interest: Interest

  package init(number: Int32, interest: Interest) {
    self.number = number
    self.interest = interest
  }
}

package enum ThreadWait: Equatable, Sendable {
  /// The thread runs, or it has something that it has not handled.
  case works
  /// The number of an epoll set. A thread that was cut off with an event in its hands looks the same. A
  /// level-triggered event shows in the set again; of an edge-triggered or one-shot event only
  /// `Tracer.inspect` tells.
  case epoll(Int32)
  /// Never empty.
  case descriptors([WaitedDescriptor])
  case ring(Int32)
  case thread
  case child
  case signal
  case time
  /// Nobody else can watch for it.
  case unwatchable(Unwatchable)
  /// The wait began before the first reading.
  case unknown
}

package struct ThreadState: Equatable, Sendable {
  package let thread: Int32
  package let wait: ThreadWait
  /// Nanoseconds until the wait's own time-out, at most: its beginning is not known before the first reading.
  /// Never below 0; nil without limit, or when the time-out counts processor time.
  package let timeOut: Int64?
  /// Nanoseconds of the whole time-out where it could be told. A thread that waits again and again is seen in
  /// the middle of its wait; the ends of two waits in a row tell their distance.
  package let period: Int64?
  package let course: TimeOutCourse
  /// The call takes what it waits for: only `Tracer.inspect` can tell whether the thread has it already.
  package let needsInspection: Bool

  package init(
    thread: Int32, wait: ThreadWait, timeOut: Int64? = nil, period: Int64? = nil,
    course: TimeOutCourse = .goesOn, needsInspection: Bool = false
  ) {
    self.thread = thread
    self.wait = wait
    self.timeOut = timeOut
    self.period = period
    self.course = course
    self.needsInspection = needsInspection
  }
}

extension ThreadState {
  /// The wait names descriptors by their numbers, or the thread may read any of them after it.
  package var usesDescriptors: Bool {
    switch wait {
    case .epoll, .descriptors, .ring, .time, .unknown: true
    case .thread: timeOut != nil
    case .works, .child, .signal, .unwatchable: false
    }
  }
}

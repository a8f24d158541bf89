import LullChannel
import LullSystem
import LullWire

final class Client {
  enum Role {
    case `operator`
    case program(AppID)

    /// Nil for a process outside every program.
    var program: AppID? { if case .program(let id) = self { id } else { nil } }
  }

  /// Descriptors that one connection has the daemon keep: itself, its process, one that came with half a text
  /// line, a command, a ring and a doorbell; and the cgroup of a command that it is about to start (three,
  /// and one on its way).
  static let maximumDescriptors = 10

  let slot: Slot
  /// Requests and output. A client that asks for more than it takes is held up, and one that takes too little
  /// of its notices is dropped.
  let channel: MessageChannel
  let pid: Int32
  let pidfd: DescriptorBox
  /// True for a connection that was admitted with descriptors that are kept for the operator.
  let isLent: Bool
  var role: Role
  var rest: Report?
  var isDirty = false
  var followed: Followed = []
  private var asksSinceDone = false
  var staged = Staged()
  /// Programs that the client runs or is attached to.
  var watched: [AppID] = []
  /// Programs that the client quit, and whose end it is told.
  var awaited: [AppID] = []

  init(slot: Slot, channel: MessageChannel, peer: PeerProcess, role: Role, isLent: Bool) {
    (self.slot, self.channel, self.role, self.isLent) = (slot, channel, role, isLent)
    (pid, pidfd) = (peer.pid, peer.pidfd)
  }

  /// True while the reply to a `run` is on its way; later requests wait for it, so that replies keep their
  /// order.
  var isWaiting: Bool { channel.isPaused }

  /// True when the connection is closed as soon as its output is written.
  var isClosing: Bool { channel.inputEnd != nil }

  var isOverrun: Bool { channel.outputEnd == .overrun }

  /// True when the client has closed the connection, also while requests of it are still to be read.
  var hasLeft: Bool {
    ((try? Socket.poll(channel.socket.raw, .readHangUp, timeoutMilliseconds: 0)) ?? .error) != []
  }

  var isDone: Bool { rest == nil && channel.isDone }

  var isAsking: Bool { isWaiting || !isDone }

  /// True when the process has asked something since it last said `done`, and its socket holds something that
  /// it has not read: the answer would come into its sleep.
  var hasUnreadAnswer: Bool {
    // An error means that the peer is gone, and then it reads nothing any more.
    asksSinceDone && (try? Socket.unsentBytes(channel.socket.raw)) ?? 0 > 0
  }

  func heard(_ request: Request) {
    switch request {
    case .done: asksSinceDone = false
    // The process sends these on its way to sleep and need not wait for their answers.
    case .did, .handling, .release, .handover, .ready, .bye: break
    default: asksSinceDone = true
    }
  }

  // MARK: Answers

  func begin(_ report: Report, _ records: Records, within outputs: OutputTotal) {
    rest = report
    queueMore(records, within: outputs)
  }

  /// Sends the waiting bytes and one slice more: the rest of a long answer comes when other clients have had
  /// a turn.
  func deliver(_ records: Records, within outputs: OutputTotal) -> Delivery {
    var delivery = channel.flush()
    if case .complete = delivery, rest != nil {
      queueMore(records, within: outputs)
      delivery = channel.flush()
    }
    if case .ended = delivery { rest = nil }
    return delivery
  }

  /// Further requests wait until the client has taken the answer.
  private func queueMore(_ records: Records, within outputs: OutputTotal) {
    while var report = rest, channel.outputEnd == nil, channel.queuedBytes < outputs.slice {
      guard let section = report.next() else {
        rest = nil
        channel.queue(Message(.ok).adding(.count, report.count))
        return
      }
      // The size of the slice is checked after each step.
      let (messages, sections) = records(section, outputs.isScarce ? 1 : 32)
      for message in messages { channel.queue(message) }
      report.sent(messages.count)
      report.put(sections)
      rest = report
    }
    if rest != nil { channel.holdUp() }
  }
}

struct Followed: OptionSet {
  let rawValue: UInt8
  static let log = Followed(rawValue: 1)
  static let notifications = Followed(rawValue: 2)
}

/// Makes the first records of a section, at most `step`, and returns the rest of it.
typealias Records = (_ section: Report.Section, _ step: Int) -> ([Message], rest: [Report.Section])

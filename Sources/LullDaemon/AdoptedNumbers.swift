import LullSystem

/// The numbers of the descriptors with which a guard takes over a lulld that runs.
struct AdoptedNumbers: Equatable {
  /// The number for a descriptor that is not there.
  static let none: Int32 = -1
  /// Those of a guard that lulld starts in place of a dead one.
  static let usual = AdoptedNumbers(
    listener: DaemonOptions.listenerNumber, link: DaemonOptions.linkNumber, child: 5, epoll: 6,
    lock: DaemonOptions.lockNumber)

  /// The listening socket, for the next lulld.
  let listener: Int32
  let link: Int32
  /// The pidfd of lulld.
  let child: Int32
  /// The epoll set of lulld, which has events waiting when lulld has stopped. None where the guard is the
  /// parent of lulld and is told.
  let epoll: Int32
  /// The lock of the runtime directory.
  let lock: Int32

  init(listener: Int32, link: Int32, child: Int32, epoll: Int32, lock: Int32) {
    (self.listener, self.link, self.child, self.epoll, self.lock) = (listener, link, child, epoll, lock)
  }

  /// Reads the value of the option `name`.
  init(_ text: String, of name: String) throws(DaemonOptions.UsageError) {
    let numbers = text.split(separator: ",").compactMap { Int32($0) }
    guard numbers.count == 5, numbers[..<3].allSatisfy({ $0 >= 0 }) else {
      throw DaemonOptions.UsageError(
        description: "\(name) needs five numbers of descriptors, not \"\(text)\"")
    }
    self.init(
      listener: numbers[0], link: numbers[1], child: numbers[2], epoll: numbers[3], lock: numbers[4])
  }

  /// The value of the option.
  var text: String { "\(listener),\(link),\(child),\(epoll),\(lock)" }

  var hasEpoll: Bool { epoll != Self.none }

  /// Those without which there is nothing to guard.
  var needed: [Int32] { [listener, link, child] + (hasEpoll ? [epoll] : []) }

  /// Those that are there.
  var all: [Int32] { needed + (lock == Self.none ? [] : [lock]) }
}

import LullSystem

/// Failures of a call that change nothing, mostly because its object had ended meanwhile.
struct Expected: OptionSet {
  let rawValue: UInt8
  /// The peer has closed the connection.
  static let closed = Expected(rawValue: 1)
  /// The process has ended, or is no child any more.
  static let ended = Expected(rawValue: 2)
  /// The descriptor, file or directory is not there any more, or was not watched.
  static let removed = Expected(rawValue: 4)
  /// The process or its file is not there any more.
  static let gone: Expected = [.ended, .removed]
  /// Something else still uses the object.
  static let inUse = Expected(rawValue: 8)
  /// The object cannot do what is asked, which the call was to find out.
  static let unsupported = Expected(rawValue: 16)
  /// There are more than are read.
  static let tooMany = Expected(rawValue: 32)

  func covers(_ error: SystemError) -> Bool {
    (contains(.closed) && (error.isConnectionLost || error.isConnectionRefused))
      || (contains(.ended) && (error.isNoSuchProcess || error.isNoChild))
      || (contains(.removed) && (error.isNoSuchFile || error.isNoSuchDevice || error.isBadDescriptor))
      || (contains(.inUse) && error.isBusy) || (contains(.unsupported) && error.isUnsupported)
      || (contains(.tooMany) && error.isTooMany)
  }
}

/// The place where a process notes failures that nobody expected.
protocol FailureLog {
  func noteUnexpected(_ error: SystemError)
}

extension FailureLog {
  /// Makes a call whose failure changes nothing; an unexpected failure is noted. Nil when the call failed.
  @discardableResult
  func ignoring<Value>(_ expected: Expected, _ call: @autoclosure () throws(SystemError) -> Value) -> Value? {
    do {
      return try call()
    } catch {
      noteUnexpected(error, except: expected)
      return nil
    }
  }

  /// Notes a failure that is not expected.
  func noteUnexpected(_ error: SystemError, except expected: Expected) {
    if !expected.covers(error) { noteUnexpected(error) }
  }
}

extension Journal: FailureLog {}

/// The log of a process that has no journal: its standard error.
struct StandardErrorLog: FailureLog {
  let process: String

  func noteUnexpected(_ error: SystemError) { StandardError.say("\(process): unexpected: \(error)") }
}

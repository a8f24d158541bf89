/// Failures of a call that change nothing, mostly because its object had ended meanwhile.
package struct Expected: OptionSet, Sendable {
  package let rawValue: UInt8
  package static let closed = Expected(rawValue: 1)
  /// The process has ended, or is no child any more.
  package static let ended = Expected(rawValue: 2)
  /// The descriptor, file or directory is not there any more, or was not watched.
  package static let removed = Expected(rawValue: 4)
  package static let gone: Expected = [.ended, .removed]
  package static let inUse = Expected(rawValue: 8)
  /// The object cannot do what is asked, which the call was to find out.
  package static let unsupported = Expected(rawValue: 16)
  package static let tooMany = Expected(rawValue: 32)

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package func covers(_ error: SystemError) -> Bool {
    (contains(.closed) && (error.isConnectionLost || error.isConnectionRefused))
      || (contains(.ended) && (error.isNoSuchProcess || error.isNoChild))
      || (contains(.removed) && (error.isNoSuchFile || error.isNoSuchDevice || error.isBadDescriptor))
      || (contains(.inUse) && error.isBusy) || (contains(.unsupported) && error.isUnsupported)
      || (contains(.tooMany) && error.isTooMany)
  }
}

/// The log of failures that nobody expected.
package protocol FailureLog {
  func noteUnexpected(_ error: SystemError)
}

extension FailureLog {
  @discardableResult @inlinable
  package func ignoring<Value>(_ expected: Expected, _ call: @autoclosure () throws(SystemError) -> Value)
    -> Value?
  {
    do {
      return try call()
    } catch {
      noteUnexpected(error, except: expected)
      return nil
    }
  }

  package func noteUnexpected(_ error: SystemError, except expected: Expected) {
    if !expected.covers(error) { noteUnexpected(error) }
  }
}

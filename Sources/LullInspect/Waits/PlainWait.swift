import LullModel
internal import LullSystem

/// The part of a wait that the registers alone tell.
extension ThreadCall {
  var wait: CallWait { CallWait(call: number) }

  var plainWait: ThreadWait {
    switch wait.kind {
    case .epoll: .epoll(integer(0))
    case .reads: .descriptors([WaitedDescriptor(number: integer(0), interest: .readable)])
    case .receives: .descriptors([WaitedDescriptor(number: integer(0), interest: receiving)])
    case .writes: .descriptors([WaitedDescriptor(number: integer(0), interest: .writable)])
    case .child: .child
    case .signal, .takesSignal: .signal
    case .systemV: .unwatchable(.systemV)
    case .fileLock: .unwatchable(.fileLock)
    case .recordLock where integer(1) == Self.waitForRecordLock || integer(1) == Self.waitForOpenFileLock:
      .unwatchable(.fileLock)
    default: .works
    }
  }

  private static let waitForRecordLock: Int32 = 7  // F_SETLKW
  private static let waitForOpenFileLock: Int32 = 38  // F_OFD_SETLKW

  var takes: Bool {
    switch wait.kind {
    case .reads, .receives, .writes, .child, .takesSignal: true
    default: false
    }
  }

  /// The readiness that a receiving call waits for: a byte out of band shows as priority.
  private var receiving: Interest {
    integer(wait.argument) & Self.outOfBand == 0 ? .readable : .priority
  }

  private static let outOfBand: Int32 = 1  // MSG_OOB
}

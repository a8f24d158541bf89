import LullChannel
import LullModel

/// The ledger of the daemon that runs, or of the last one of this boot.
enum RuntimeLedger {
  /// True when a service manager has started the last daemon, and may be about to start the next one.
  static var isOfService: Bool {
    let content = (try? LedgerFile.read(LedgerFile.path())) ?? nil
    for case .began(_, let isService, _) in content?.records.reversed() ?? [] { return isService }
    return false
  }

  /// True when programs may run on since a daemon that runs no more.
  static var namesPrograms: Bool {
    guard let content = (try? LedgerFile.read(LedgerFile.path())) ?? nil, content.isOfThisBoot else {
      return false
    }
    var names: Set<String> = []
    for record in content.records {
      switch record {
      case .program(let program): names.insert(program.name)
      case .ended(let end): names.remove(end.name)
      default: break
      }
    }
    return !names.isEmpty
  }
}

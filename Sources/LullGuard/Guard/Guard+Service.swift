import LullSystem

extension Guard {
  /// The guard before this one had the service manager keep these lines.
  func takeBack(_ inherited: InheritedDescriptors) {
    for item in ServiceStore(inherited).items { _ = lines.keep(item.message, item.descriptor) }
    service?.forget(inherited.named.map(\.name))
  }

  func handOver() {
    guard let service, !lines.items.isEmpty,
      let kept = Self.log.ignoring([], try ServiceStore(lines.items).kept())
    else { return }
    service.keep(kept)
  }

  /// lulld lives and is not stopped. One whose turn hangs is ended by its own alarm.
  var isWell: Bool { child.hasLived(for: service?.provingTime ?? 0) && !child.isStopped() }
}

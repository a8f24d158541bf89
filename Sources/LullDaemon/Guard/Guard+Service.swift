import LullWire

// The service manager, where one has started this guard.
extension Guard {
  /// Takes back what the guard before this one had the service manager keep. The messages are carried out as
  /// if lulld had sent them, so that the first lulld is handed what they tell.
  func takeBack(_ inherited: InheritedDescriptors) {
    take(ServiceStore(inherited))
    service?.forget(inherited.named.map(\.name))
  }

  /// Takes what the guard had that this process was before.
  func take(_ kept: ServiceStore) { for item in kept.items { carryOut(item.message, item.descriptor) } }

  /// Everything that is kept for the next lulld.
  var kept: ServiceStore {
    let told = notifications.isTold ? [ServiceStore.Item(message: Message(.anew), descriptor: nil)] : []
    return ServiceStore(told + store.items + lines.items + notifications.items + installed.items)
  }

  /// Has the service manager keep everything for the next guard; false when nobody keeps it, or there is no
  /// program and no line.
  func handOver() -> Bool {
    guard let service, !store.isEmpty || !lines.items.isEmpty else { return false }
    let all = ServiceStore(store.items + lines.items + notifications.items)
    guard let kept = Self.log.ignoring([], try all.kept()) else { return false }
    return service.keep(kept)
  }

  /// True when lulld lives and is not stopped. One whose turn hangs is ended by its own alarm.
  var isWell: Bool { child.hasLived(for: service?.provingTime ?? 0) && !child.isStopped() }
}

struct Observer {
  weak var target: (any ApplicationDelegate)?
}

extension Application {
  /// Tells an observer everything that the delegate is told, after the delegate and the observers before it.
  ///
  /// Only the delegate shows the notifications of an embedded application. All of them together have the time
  /// that a message has. The observer is not retained; to add it again does nothing.
  public func addObserver(_ observer: any ApplicationDelegate) {
    guard !observers.contains(where: { $0.target === observer }) else { return }
    observers.append(Observer(target: observer))
  }

  /// Tells an observer nothing any more.
  public func removeObserver(_ observer: any ApplicationDelegate) {
    observers.removeAll { $0.target === observer }
  }

  /// Tells the delegate, then the observers in their order. Who was removed by a message, and everybody after
  /// the end of the application, is not told.
  func tell(_ message: (any ApplicationDelegate) -> Void) {
    let first = delegate
    if let first { message(first) }
    observers.removeAll { $0.target == nil }
    for observer in observers {
      guard phase != .ended else { return }
      guard let target = observer.target, target !== first, isObserved(by: target) else { continue }
      message(target)
    }
  }

  private func isObserved(by target: any ApplicationDelegate) -> Bool {
    observers.contains { $0.target === target }
  }
}

extension Leftovers.Released {
  package var text: String {
    let names = thawed + continued.map { "process \($0)" }
    let words = "a daemon that was killed had left asleep and now runs: "
    let done = names.isEmpty ? nil : words + Self.list(names)
    let failed = failures.isEmpty ? nil : "still held: \(Self.list(failures))"
    return [done, failed].compactMap(\.self).joined(separator: "; ")
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}

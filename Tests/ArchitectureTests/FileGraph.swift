/// The files that each file of a module knows, by the types that they declare and name, and by the functions
/// of their own type that they call.
struct FileGraph {
  private let paths: [String]
  /// For each file, the files whose types it names.
  private let known: [[Int]]

  /// The graph of one module's files. A file knows an extension when it names its type and one of its
  /// members.
  init(_ files: [SourceFile]) {
    var homes: [String: [(file: Int, declaration: SourceFile.Declaration)]] = [:]
    for (index, file) in files.enumerated() {
      for declaration in file.declarations {
        homes[declaration.name, default: []].append((index, declaration))
      }
    }
    // The types of other modules may be extended, too.
    homes = homes.filter { $0.value.contains { !$0.declaration.isExtension } }
    paths = files.map(\.path)
    known = files.enumerated().map { index, file in
      let (names, calls) = (file.names, file.calls)
      let named =
        names.flatMap { homes[$0] ?? [] }.filter { home in
          !home.declaration.isExtension || !names.isDisjoint(with: home.declaration.members)
        }
        + file.declarations.flatMap { own in
          let foreign = calls.subtracting(own.members)
          return (homes[own.name] ?? []).filter { !foreign.isDisjoint(with: $0.declaration.members) }
        }
      return Set(named.map(\.file)).subtracting([index]).sorted()
    }
  }

  /// The largest sets of files that all know each other, directly or through others.
  func circles() -> [[String]] {
    var search = Search(known: known)
    for file in known.indices where search.order[file] == nil { search.visit(file) }
    return search.circles.map { $0.map { paths[$0] }.sorted() }
  }

  /// Tarjan's search for the strongly connected components of a graph.
  private struct Search {
    let known: [[Int]]
    var order: [Int: Int] = [:]
    var circles: [[Int]] = []
    private var lowest: [Int: Int] = [:]
    private var open: [Int] = []

    init(known: [[Int]]) { self.known = known }

    mutating func visit(_ file: Int) {
      let number = order.count
      (order[file], lowest[file]) = (number, number)
      open.append(file)
      for other in known[file] {
        if order[other] == nil {
          visit(other)
          lowest[file] = min(lowest[file] ?? number, lowest[other] ?? number)
        } else if open.contains(other) {
          lowest[file] = min(lowest[file] ?? number, order[other] ?? number)
        }
      }
      guard lowest[file] == number, let first = open.firstIndex(of: file) else { return }
      if open.count - first > 1 { circles.append(Array(open[first...])) }
      open.removeSubrange(first...)
    }
  }
}

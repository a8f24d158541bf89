package enum Spelling {
  /// The verb that a mistyped one may have meant: at most two slips away, or one from a word of four letters.
  /// Among equals a verb that only adds an end comes first, then the first of `verbs`.
  package static func nearest(to word: String, among verbs: [String]) -> String? {
    let typed = Array(word.utf8)
    let limit = min(typed.count > 4 ? 2 : 1, typed.count - 1)
    var best: (verb: String, distance: Int)?
    for verb in verbs where abs(verb.utf8.count - typed.count) <= limit {
      let distance = distance(typed, Array(verb.utf8))
      guard distance <= limit else { continue }
      let completes = verb.hasPrefix(word) && best?.verb.hasPrefix(word) == false
      if distance < best?.distance ?? .max || distance == best?.distance && completes {
        best = (verb, distance)
      }
    }
    return best?.verb
  }

  /// For example `no subcommand "statsu"; did you mean "status"?`; `habits`: words of other tools, each with
  /// what does the same here.
  package static func complaint(
    ofSubcommand word: String, of program: String, among known: [String], habits: [String: String] = [:]
  ) -> String {
    let meant = habits[word] ?? nearest(to: word, among: known)
    let hint = meant.map { "did you mean \"\($0)\"?" } ?? "\"\(program) --help\" lists them"
    return "no subcommand \"\(word)\"; \(hint)"
  }

  /// The optimal string alignment distance: letters left out, added, changed, and neighbours swapped.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(previous[j + 1], row[j]) + 1
        cost = min(cost, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
        row.append(cost)
      }
      beforePrevious = previous
      previous = row
    }
    return previous[b.count]
  }
}

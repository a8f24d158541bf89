extension Collection where Element: Equatable {
  /// Where these elements are for the first time. What Swift has for it (`firstRange(of:)`, `contains` with a
  /// text) links its engine of regular expressions, which is 1.5 MB in each program that is shipped.
  package func place(of part: some Collection<Element>) -> Range<Index>? {
    var start = startIndex
    while true {
      var (here, there) = (start, part.startIndex)
      while there < part.endIndex, here < endIndex, self[here] == part[there] {
        formIndex(after: &here)
        part.formIndex(after: &there)
      }
      if there == part.endIndex { return start..<here }
      if start == endIndex { return nil }
      formIndex(after: &start)
    }
  }

  package func holds(_ part: some Collection<Element>) -> Bool { place(of: part) != nil }
}

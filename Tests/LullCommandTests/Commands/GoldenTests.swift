import LullSystem
import Testing

/// What `lull` writes, letter by letter. `LULL_GOLDEN=write` writes the files anew.
extension LullProcessTests {
  @Suite struct Golden {
    @Test(arguments: GoldenFile.all) func `lull writes what its golden file has`(file: GoldenFile) throws {
      let (old, new) = (try file.lines(), try file.run())
      if Identity.environment("LULL_GOLDEN") == "write" { return try file.write(new) }
      let number = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
      guard old != new else { return }
      let (before, now) = (old.dropFirst(number).first ?? "", new.dropFirst(number).first ?? "")
      Issue.record("\(file), line \(number + 1): \"\(now)\" in place of \"\(before)\"")
    }
  }
}

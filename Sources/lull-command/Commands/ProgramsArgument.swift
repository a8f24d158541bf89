import ArgumentParser
import LullWire

struct ProgramsArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The programs' names, as in \"lull status\".", valueName: "name"),
    completion: Completions.programs)
  var names: [String] = []
  @Flag(name: .customLong("all"), help: "All programs.")
  var isAll = false

  func validate() throws {
    if names.isEmpty, !isAll { throw ValidationError("name a program, or say --all") }
    if !names.isEmpty, isAll { throw ValidationError("name programs or say --all, not both") }
  }

  func resolved(_ connection: inout Connection) throws(Failure) -> [String] {
    guard isAll else {
      var seen: Set<String> = []
      return names.filter { seen.insert($0).inserted }
    }
    let items = try connection.ask(.status(name: nil)).items
    return items.compactMap { $0.itemKind == .program ? $0[.name] : nil }
  }
}

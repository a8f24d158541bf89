/// The reason why a call cannot be made, in one text line.
struct CallError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Where a notification is shown, told to lulld so that the next lull-notify takes it over. The identifier of
/// the bus and the server's name on it are given to nobody else.
struct Place: Equatable {
  var bus: String
  var owner: String
  var number: UInt32
}

extension Place {
  var text: String { "\(bus)/\(owner)/\(number)" }

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let number = UInt32(parts[2]) else { return nil }
    self.init(bus: parts[0], owner: parts[1], number: number)
  }
}

import LullWire

enum Link {
  static func open(_ url: String, in name: String?) throws(Failure) -> Message {
    var connection = try Daemon.connectStarting()
    return try connection.ask(.open(url: url, name: name)).ok
  }
}

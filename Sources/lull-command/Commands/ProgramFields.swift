import LullWire

/// How a program lives, as the options of `lull run` and the file of an installed program say it.
struct ProgramFields: Equatable {
  var mode: String?
  var keepAlive: Double?
  var wakeOn: [String] = []
  var ignore: [String] = []
  var tcpKeepAlive: Double?
  var udpKeepAlive: Double?
  var udpKeepAliveTo: String?
  var linger: Double?
  var timers: String?
  var deepBuffer: Double?
  var silence: Double?
  var schemes: [String] = []
  var exitsOnSuspend = false
  var staysInMemory = false
  var keepsLines = false
  var isPurgeable = false
  var memorySignal: String?
  var batchWakes: Double?
  /// Entries `NAME=value`.
  var variables: [String] = []

  /// The request that the fields ask for. `isResolving`: a name in `--udp-keepalive-to` is looked up.
  func request(name: String?, isResolving: Bool = true) throws(Failure) -> Request.Run {
    if let name, !ProgramName.isValid(name) {
      throw .usage("--name \(name): must be \(ProgramName.expected)")
    }
    let (wakeOn, ignore) = try RunPorts.read(wakeOn: wakeOn, ignore: ignore)
    var request = Request.Run(
      name: name, modes: try RunOptions.modes(mode),
      keepAlive: try RunOptions.keepAlive(keepAlive),
      exitsOnSuspend: exitsOnSuspend, batchWakes: try RunOptions.batchWakes(batchWakes), wakeOn: wakeOn,
      ignore: ignore,
      tcpKeepAlive: try RunOptions.tcpKeepAlive(tcpKeepAlive),
      udpKeepAlive: try RunOptions.udpKeepAlive(udpKeepAlive),
      udpKeepAliveTo: try RunOptions.destination(
        udpKeepAliveTo, isUsed: udpKeepAlive != nil, isResolving: isResolving),
      linger: try RunOptions.linger(linger), timers: try RunOptions.timers(timers),
      silence: try RunOptions.silence(silence), schemes: try RunOptions.schemes(schemes),
      staysInMemory: staysInMemory, keepsLines: keepsLines,
      isPurgeable: isPurgeable, memorySignal: try RunOptions.signal(memorySignal))
    request.modes = request.effectiveModes
    guard silence == nil || request.modes.contains(.audio) else {
      throw .usage("--silence: give --mode audio too")
    }
    guard deepBuffer == nil || request.modes.contains(.audio) else {
      throw .usage("--deep-buffer: give --mode audio too")
    }
    return request
  }

  /// The entries that the environment of the program gets.
  func environment() throws(Failure) -> [String] {
    for variable in variables where !Self.isVariable(variable) {
      throw .usage("--env \(variable): must be NAME=VALUE, such as LANG=de_DE.UTF-8")
    }
    for variable in variables where !Self.hasName(variable) {
      throw .usage(
        "--env \(variable): its name must be letters, digits, '_', '.' and '-', and start with no digit")
    }
    return try variables + RunOptions.deepBuffer(deepBuffer)
  }

  private static func isVariable(_ text: String) -> Bool {
    let name = text.prefix { $0 != "=" }
    return !name.isEmpty && name.endIndex < text.endIndex
  }

  /// True when the name is none by mistake; shells read fewer names (POSIX, XBD 8.1) than programs use.
  private static func hasName(_ variable: String) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let name = variable.utf8.prefix { $0 != UInt8(ascii: "=") }
    return name.first.map { !digits.contains($0) } ?? false
      && name.allSatisfy { byte in
        digits.contains(byte) || "_.-".utf8.contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }
}

import LullChannel
import LullSystem
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
      throw .usage(
        "--name \(name): must be letters, digits, '.', '_' and '-', and start with a letter or digit")
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
    return try variables + RunOptions.deepBuffer(deepBuffer)
  }

  private static func isVariable(_ text: String) -> Bool {
    let name = text.prefix { $0 != "=" }
    return !name.isEmpty && name.endIndex < text.endIndex
  }
}

import LullSystem
import LullWire

extension RunCommand {
  /// The request that the options ask for.
  func request() throws(Failure) -> Request.Run {
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
      tcpKeepAlive: try RunOptions.tcpKeepAlive(tcpKeepalive),
      udpKeepAlive: try RunOptions.udpKeepAlive(udpKeepalive),
      udpKeepAliveTo: try RunOptions.destination(udpKeepaliveTo, isUsed: udpKeepalive != nil),
      linger: try RunOptions.linger(linger), timers: try RunOptions.timers(timers),
      silence: try RunOptions.silence(silence), schemes: try RunOptions.schemes(scheme))
    request.modes = request.effectiveModes
    guard silence == nil || request.modes.contains(.audio) else {
      throw .usage("--silence: give --mode audio too")
    }
    guard deepBuffer == nil || request.modes.contains(.audio) else {
      throw .usage("--deep-buffer: give --mode audio too")
    }
    return request
  }
}

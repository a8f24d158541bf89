import Glibc
import LullSystem
import TestSupport
import Testing

/// baresip, a softphone that was never written for Lull, under `lull run`. It answers every call by itself.
final class Baresip {
  let name: String
  let port: UInt16
  /// `lull run`.
  let run: ConnectedChild
  private let folder: String

  /// `account`: the settings of its account; `control`: the port of its ctrl_tcp, with which it answers no
  /// call by itself; `isWrapped`: a shell starts it and waits for its end.
  init(
    _ stage: Stage, name: String = "baresip", port: UInt16? = nil, account: String = "regint=0",
    control: UInt16? = nil, isWrapped: Bool = false
  ) throws {
    try Executables.require("baresip", package: "baresip-core")
    self.name = name
    self.port = try port ?? stage.network.freePort()
    folder = "\(stage.lull.sandbox.directory)/\(name)-\(self.port)"
    try Self.configure(folder, port: self.port, account: account, control: control)
    let nothing = try Files.openNull()
    // Baresip writes without end while a call goes on, and the test does not read all the time.
    let command = "baresip -4 -s -v -f \(folder) >\(folder)/log 2>&1"
    let script = isWrapped ? "\(command); exit $?" : "exec \(command)"
    run = try stage.run(name, ["sh", "-c", script], input: nothing.raw)
  }

  /// A softphone that sleeps.
  static func sleeping(_ stage: Stage, name: String = "baresip", port: UInt16? = nil) throws -> Baresip {
    let baresip = try Baresip(stage, name: name, port: port)
    try stage.journal.waitForSleep(of: name)
    return baresip
  }

  var address: String { "127.0.0.1:\(port)" }

  /// The text that baresip has written so far.
  func log() throws -> String { try Kernel.text("\(folder)/log") }

  /// The configuration without stdio.so, which cannot watch /dev/null.
  private static func configure(_ folder: String, port: UInt16, account: String, control: UInt16?) throws {
    let ctrl = control.map { "module_app ctrl_tcp.so\nctrl_tcp_listen 127.0.0.1:\($0)" } ?? ""
    let config = """
      poll_method epoll
      sip_listen 127.0.0.1:\(port)
      net_interface 127.0.0.1
      audio_player aubridge,nil
      audio_source aubridge,nil
      audio_alert aubridge,nil
      rtp_ports 10000-10100
      dns_server 127.0.0.1:53
      module_path /usr/lib/baresip/modules
      module g711.so
      module aubridge.so
      module_tmp uuid.so
      module_tmp account.so
      module_app menu.so
      \(ctrl)

      """
    let mode = control == nil ? "auto" : "manual"
    if !Files.exists(folder) { try Kernel.check(unsafe mkdir(folder, 0o700)) }
    try Kernel.write(config, to: "\(folder)/config")
    try Kernel.write("<sip:alice@127.0.0.1>;answermode=\(mode);\(account)\n", to: "\(folder)/accounts")
  }
}

import LullSystem
import Synchronization

private let given = Atomic(0)

/// A port of 127.0.0.1 for a server that is still to start. It lies below those that the kernel gives to
/// others, and each process of tests has its own ones.
package func freePort() -> UInt16 {
  while true {
    let number = given.add(1, ordering: .relaxed).newValue
    let port = UInt16(20_000 + (Int(Identity.pid()) * 37 + number) % 12_000)
    if (try? Socket.listen(.loopback(port: port))) != nil { return port }
  }
}

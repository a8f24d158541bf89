// An echo service with a loop of its own, such as that of another library: Lull is one more descriptor in it.
import Glibc
import Lull

final class Service: ApplicationDelegate {
  let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(status == 0, "port \(port) is taken")
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  /// Sends the next datagram back.
  func answer() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutablePointer(to: &peer) { peer in
      unsafe peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        let count = unsafe recvfrom(descriptor, &bytes, bytes.count, 0, peer, &length)
        unsafe sendto(descriptor, bytes, max(count, 0), 0, peer, length)
      }
    }
  }
}

let service = Service(port: 7000)
let application = try Application(name: "echo", modes: [.voip], launch: .background, delegate: service)
let line = try application.hold(service.descriptor, as: .voip)
while true {
  var entries = [service.descriptor, application.fileDescriptor].map {
    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
  }
  guard unsafe poll(&entries, 2, -1) > 0 else { continue }
  if entries[0].revents != 0 {
    service.answer()
    application.finishedHandlingWake()
  }
  if entries[1].revents != 0 { application.dispatch() }
}

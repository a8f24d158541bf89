// A softphone's backend with SwiftNIO: Lull watches the channel's socket while the program sleeps, and a
// thread of SwiftNIO reads it. A task asks the application for what only its loop knows.
import Glibc
import Lull
import LullAsync
import NIOCore
import NIOPosix

final class Answerer: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let mailbox: Mailbox

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let text = String(buffer: unwrapInboundIn(data))
    let mailbox = mailbox
    let answer = context.eventLoop.makeFutureWithTask {
      text == "reason\n" ? try await mailbox.perform { "\($0.wakeReason?.rawValue ?? "none")\n" } : "pong\n"
    }
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    answer.whenSuccess { answer in
      context.value.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
      mailbox.finishedHandlingWake()
    }
  }

  func channelInactive(context: ChannelHandlerContext) { mailbox.post { $0.stop() } }
}

final class Backend: ApplicationDelegate {
  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }
}

/// A connection to a port of this machine.
func connection(to port: UInt16) -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  let status = unsafe withUnsafePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  precondition(status == 0, "nobody listens at port \(port)")
  return descriptor
}

let backend = Backend()
let application = try Application(
  name: "softphone", modes: [.voip], launch: .background, delegate: backend)
let descriptor = connection(to: 10000)
let line = try application.hold(descriptor)
let mailbox = application.mailbox
let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let channel = try ClientBootstrap(group: threads)
  .channelInitializer { $0.pipeline.addHandler(Answerer(mailbox)) }
  .withConnectedSocket(descriptor).wait()
application.run()

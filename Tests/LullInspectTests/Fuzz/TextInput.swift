import Fuzzing

@testable import LullInspect
@testable import LullSystem

/// The texts of `/proc` and addresses: the kernel's texts hold names that programs choose.
func fuzzTexts(_ bytes: [UInt8]) throws(Flaw) {
  var source = ByteSource(bytes)
  let kind = source.byte() % 5
  let rest = source.rest()
  switch kind {
  case 0:
    let call = ThreadCall(Array(rest).span)
    try hold(call.number >= -1 && call.number < 16 << 20, "the call \(call.number)")
    try hold(call.hasArguments(of: call), "a call that differs from itself")
    for index in 0..<6 { _ = (call.argument(index), call.integer(index)) }
  case 1:
    if let path = CgroupMount.mountPoint(in: Array(rest)) {
      try hold(path.utf8.count <= 3 * rest.count, "a longer path than the text: \(path)")
    }
  case 2: readInfo(InfoText(Array(rest)))
  case 3:
    if let address = SocketAddress(numeric: String(decoding: rest, as: UTF8.self)) {
      let again = SocketAddress(numeric: address.description)
      try hold(again == address, "\(address) is read back as \(String(describing: again))")
    }
  default:
    let address = SocketAddress(bytes: Array(rest))
    _ = (address.description, address.port, address.family)
  }
}

private func readInfo(_ text: InfoText) {
  for key in ["Pid:", "it_value:", "ticks:", "UserFiles:", "tfd:"] as [StaticString] {
    _ = (text.value(key), text.value(key, radix: 16))
    var place = text.place(of: key)
    while let start = place {
      _ = text.number(at: start)
      place = text.place(of: key, from: start)
    }
  }
}

import LullWire

enum WakeText {
  /// For example `woken 3 s ago by data on line 2 (udp 127.0.0.1:5060) from 10.0.0.7:5090`.
  static func text(_ wake: WakeItem, lines: [LineItem]) -> String {
    let waited =
      wake.waitedMicroseconds.map { ", which had waited \(DurationText.text(microseconds: $0))" } ?? ""
    return "woken \(DurationText.text(seconds: wake.agoSeconds)) ago by \(cause(wake, lines))\(waited)"
  }

  private static func cause(_ wake: WakeItem, _ lines: [LineItem]) -> String {
    let place = place(wake, lines)
    let sender = wake.peer.map { " from \(Printable.text($0))" } ?? ""
    let other = wake.peer.map { " to \(Printable.text($0))" } ?? ""
    switch wake.reason {
    case "data": return place.map { "data on \($0)\(sender)" } ?? "data that arrived\(sender)"
    case "closed": return "a connection that its peer closed\(after(place))\(other)"
    case "error": return "a connection that failed\(after(place))\(other)"
    case "accept": return place.map { "a connection\(sender) to \($0)" } ?? "a connection to accept\(sender)"
    case "accessory": return "data of an accessory" + (place.map { " on \($0)" } ?? "")
    case "writable": return "a connection that was made or takes bytes again\(after(place))\(other)"
    case "keepalive": return "its keep-alive"
    case "timer": return "its own timer"
    case "signal": return "a signal that waited for it"
    case "notification": return "a notification that was answered"
    case "operator": return "an operator's request"
    case "lock": return "another program that waits for a lock on a file"
    case "child": return "the end of one of its processes"
    case "unfrozen": return "somebody else, or by a freeze that was taken back"
    default: return Printable.text(wake.reason) + (place.map { " on \($0)" } ?? "")
    }
  }

  private static func after(_ place: String?) -> String { place.map { ", \($0)" } ?? "" }

  private static func place(_ wake: WakeItem, _ lines: [LineItem]) -> String? {
    guard let id = wake.line else { return nil }
    let known = lines.first { $0.id == id }
    return "line \(id)" + (known.map { Printable.text(" (\(LineText.name($0)))") } ?? "")
  }
}

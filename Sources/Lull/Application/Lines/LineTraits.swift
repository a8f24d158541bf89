internal import LullEngine

struct LineTraits {
  var purpose = LinePurpose.voip
  var offload: Offload = []
  var tcpKeepalive: Interval?
  var name: String?
  /// True for a connection whose keys end with the program.
  var isEncrypted = false
}

import LullSystem

/// An inhibitor of logind, which holds as long as its descriptor is open.
enum Inhibitor {
  case none
  /// It is to be asked for as soon as there is a connection, for this reason.
  case wanted(String)
  case asked(String)
  case held(String, DescriptorBox)

  var wanted: String? {
    switch self {
    case .none: nil
    case .wanted(let why), .asked(let why), .held(let why, _): why
    }
  }
}

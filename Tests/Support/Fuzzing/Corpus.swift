import Glibc
public import LullSystem

/// The inputs that `Tools/fuzz` found worth keeping: Tests/Corpora has a folder for each fuzzer.
public enum Corpus {
  /// Runs every input of a fuzzer; returns the flaws, with the input's file. ENOENT: there are no inputs.
  public static func flaws(
    _ fuzzer: String, _ run: ([UInt8]) throws(Flaw) -> Void
  ) throws(SystemError) -> [String] {
    var flaws: [String] = []
    for (name, bytes) in try inputs(fuzzer) {
      do throws(Flaw) {
        try run(bytes)
      } catch {
        flaws.append("Tests/Corpora/\(fuzzer)/\(name): \(error.what)")
      }
    }
    return flaws
  }

  /// The inputs of a fuzzer in the order of their names. ENOENT: there are no inputs. The corresponding C
  /// functions are `opendir`, `readdir` and `read`.
  public static func inputs(_ fuzzer: String) throws(SystemError) -> [(name: String, bytes: [UInt8])] {
    let folder =
      #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Corpora/\(fuzzer)"
    guard let stream = unsafe opendir(folder) else {
      throw SystemError(code: errno, call: "opendir \(folder)")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    guard !names.isEmpty else { throw SystemError(code: ENOENT, call: "an input in \(folder)") }
    var inputs: [(name: String, bytes: [UInt8])] = []
    for name in names.sorted() { inputs.append((name, try Files.read("\(folder)/\(name)", limit: 1 << 20))) }
    return inputs
  }
}

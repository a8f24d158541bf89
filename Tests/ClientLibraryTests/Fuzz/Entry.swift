#if FUZZING
  import Fuzzing

  @_cdecl("LLVMFuzzerTestOneInput")
  func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    unsafe evaluate(start, count) { bytes throws(Flaw) in try fuzzClient(bytes) }
  }
#endif

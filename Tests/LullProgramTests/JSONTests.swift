import LullProgram
import TestSupport
import Testing

@Suite(.bounded) struct JSONTests {
  @Test func `texts are quoted as RFC 8259 wants it, and what is no number is null`() {
    let value = JSON.object([
      ("a", .string("\"\\/\n\r\t\u{1}\u{7F}\u{9B}ü")), ("b", .string(nil)), ("c", .number(.nan)),
      ("d", .array([.integer(1), .bool(true), .number(2), .number(-0.5)])), ("e", .null),
    ])
    #expect(
      value.text
        == #"{"a":"\"\\/\n\r\t\u0001\u007f\u009bü","b":null,"c":null,"d":[1,true,2,-0.5],"e":null}"#)
  }

  @Test func `a document has a line for each value`() {
    let value = JSON.object([
      ("a", .array([])), ("b", .object([("c", .array([.bool(false), .integer(2)]))])),
    ])
    #expect(
      value.indentedText == """
        {
          "a" : [

          ],
          "b" : {
            "c" : [
              false,
              2
            ]
          }
        }
        """)
  }

  private struct Part: Encodable {
    var name: String?
    var moments: [Double] = []
  }

  private struct Whole: Encodable {
    enum CodingKeys: String, CodingKey {
      case size, parts
      case isFull = "full"
    }
    let size: UInt64
    let parts: [Part]
    let isFull: Bool
  }

  @Test func `what can be encoded is, with its keys in order and without what is absent`() throws {
    let whole = Whole(size: 7, parts: [Part(name: "x", moments: [1.5, 3]), Part()], isFull: true)
    let json = try JSON(encoding: whole)
    #expect(json.text == #"{"full":true,"parts":[{"moments":[1.5,3],"name":"x"},{"moments":[]}],"size":7}"#)
    #expect(try JSON(encoding: [Part]()).text == "[]")
  }

  @Test func `the version has three numbers`() {
    #expect(Version.current.split(separator: ".").compactMap { Int($0) }.count == 3)
    #expect(Version.text == "lull \(Version.current)")
  }
}

/// A record of a reply (`item kind=`), as docs/PROTOCOL.md lists them.
///
/// Its description, ``visit(by:)``, is the only place that knows the fields: the daemon writes the record by
/// it, and a client reads it. A newer daemon may have words that the client does not know.
package protocol DescribedItem: FieldGroup, Equatable, Sendable {
  static var itemKind: ItemKind { get }

  init()

  /// Goes to each of the record's fields, in the order in which they are written.
  mutating func visit(by fields: inout some FieldVisitor) throws(WireError)
}

extension DescribedItem {
  package static var blank: Self { .init() }

  package init(_ fill: (inout Self) -> Void) {
    self.init()
    fill(&self)
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var item = self
    try item.visit(by: &fields)
    return item
  }

  package var message: Message { adding(to: Message(item: Self.itemKind)) }
}

extension [Message] {
  /// Throws `missingField` or `badValue`.
  package func records<Item: DescribedItem>(_: Item.Type) throws(WireError) -> [Item] {
    var items: [Item] = []
    for message in self where message.itemKind == Item.itemKind { items.append(try Item(message)) }
    return items
  }
}

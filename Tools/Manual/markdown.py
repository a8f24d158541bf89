"""Man pages from documents of the project, which markdown-it reads."""

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from mdoc import argument, bold, code, escaped, italic


class Converter:
    def __init__(self, page):
        self.page = page

    def document(self, path, lowered):
        """`lowered`: the document is a section of the page, and its sections are parts of that."""
        self.lowered = lowered
        text = path.read_text(encoding="utf-8")
        tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))
        if not lowered:
            self.page.macro("Sh", "DESCRIPTION")
        self.blocks(tree.children)

    def blocks(self, nodes):
        for node in nodes:
            getattr(self, node.type)(node)

    def heading(self, node):
        level = int(node.tag[1]) + self.lowered
        if level > 1:
            self.page.macro("Sh" if level == 2 else "Ss", argument(plain(node.children[0])))

    def paragraph(self, node):
        self.page.paragraph(inline(node.children[0]))

    def code_block(self, node):
        self.page.literal(node.content.rstrip("\n").split("\n"))

    fence = code_block

    def bullet_list(self, node):
        self.list(node, "-bullet")

    def ordered_list(self, node):
        self.list(node, "-enum")

    def list(self, node, kind):
        self.page.macro("Bl", kind)
        for item in node.children:
            self.page.macro("It")
            self.blocks(item.children)
        self.page.macro("El")

    def table(self, node):
        """Each row is an item: its first cell, and then what the further ones say."""
        head, body = node.children
        titles = [inline(cell.children[0]) for cell in head.children[0].children]
        self.page.begin_tags()
        for row in body.children:
            first, *others = [inline(cell.children[0]) for cell in row.children]
            self.page.macro("It", argument(first))
            for title, cell in zip(titles[1:], others):
                if cell:
                    self.page.paragraph(f"{italic(title)}: {cell}" if len(others) > 1 else cell)
        self.page.macro("El")


def inline(node):
    return "".join(part(it) for it in node.children)


def part(node):
    if node.type == "text":
        return escaped(node.content)
    if node.type in ("softbreak", "hardbreak"):
        return " "
    if node.type == "code_inline":
        return code(node.content)
    if node.type == "em":
        return italic(inline(node))
    if node.type == "strong":
        return bold(plain(node))
    if node.type == "link":
        target = node.attrs["href"]
        return inline(node) + (f" ({escaped(target)})" if "://" in target else "")
    raise ValueError(f"a document has {node.type}, which no man page can show yet")


def plain(node):
    """Text without other fonts."""
    return inline(node).replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\%", "")

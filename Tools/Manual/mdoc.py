"""Writes mdoc(7), the language of man pages, so that mandoc and groff have nothing to warn about."""

import re
import textwrap

SPECIAL = {"\\": "\\e", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
WIDTH = 76


def escaped(text):
    """Plain text, with every character as it stands, also where a page is copied from."""
    text = "".join(SPECIAL.get(character, character) for character in text)
    return re.sub(r"(?<![\w\\])-+", lambda dashes: "\\-" * len(dashes.group()), text)


def code(text):
    """Words of a program in bold, which are not broken at a hyphen."""
    return bold("\\%" + escaped(text).replace("\\-", "-").replace("-", "\\-"))


def bold(text):
    return f"\\fB{text}\\fR"


def italic(text):
    return f"\\fI{text}\\fR"


def word(text):
    """Plain text as one argument of a macro."""
    return argument(escaped(text))


def argument(text):
    """Formatted text as one argument of a macro, which is neither the name of one nor a delimiter."""
    text = text.replace('"', "\\(dq")
    if re.fullmatch(r"[A-Z%][a-z0-9]|[.,:;()\[\]?!|]", text):
        return "\\&" + text
    return f'"{text}"' if " " in text else text


class Page:
    def __init__(self, name, section, about, date, version):
        self.lines = [
            f".Dd {date}", f".Dt {name.upper()} {section}", f".Os {version}", ".Sh NAME", f".Nm {word(name)}",
        ]
        about = about.rstrip(".")
        if about[1:2].islower() or about[1:2] == " ":
            about = about[0].lower() + about[1:]
        self.lines.append(f".Nd {escaped(about)}")

    def macro(self, name, *words):
        """`words` stand as they are, so that they may be macros; `word` makes any others harmless."""
        self.lines.append(" ".join([f".{name}", *words]))

    def begin_tags(self):
        self.macro("Bl", "-tag", "-width", "Ds")

    def paragraph(self, formatted):
        """Formatted text, each sentence on lines of its own."""
        if not self.lines[-1].startswith((".Sh", ".Ss", ".It", ".Pp")):
            self.lines.append(".Pp")
        self.text(formatted)

    def text(self, formatted):
        for sentence in re.split(r"(?<=[.!?])(?:(?<=[.!?])|(?<=\)))\s+", formatted.strip()):
            for line in textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False):
                self.lines.append("\\&" + line if line[0] in ".'" else line)

    def literal(self, lines):
        self.lines.append(".Bd -literal -offset indent")
        for line in lines:
            line = escaped(line)
            self.lines.append("\\&" + line if line[:1] in (".", "'") else line)
        self.lines.append(".Ed")

    def references(self, *names):
        """The section SEE ALSO: names such as "lull(1)", in the order that mdoc asks for."""
        self.macro("Sh", "SEE ALSO")
        split = sorted({re.fullmatch(r"(.*)\((\d)\)", name).groups()[::-1] for name in names})
        for index, (section, name) in enumerate(split):
            comma = " ," if index + 1 < len(split) else ""
            self.lines.append(f".Xr {name} {section}{comma}")

    def __str__(self):
        return "\n".join(self.lines) + "\n"

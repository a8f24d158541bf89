"""The pages of commands, from what the commands say of themselves."""

import json
import re
import subprocess

from mdoc import argument, code, escaped, italic, word

FILES = [
    (
        "~/.config/lull, /etc/lull",
        "Your files for Lull, and root's: programs/NAME for each installed program.",
    ),
    ("~/.local/state/lull, /var/lib/lull", "The journal, the logs and what programs keep."),
    ("$XDG_RUNTIME_DIR/lull, /run/lull", "The socket of the daemon."),
]


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def formatted(text):
    """Text of a help, with the options in it in bold."""
    parts = re.split(r"(?<![\w-])(-{1,2}[a-z][a-z-]*)", text)
    return "".join(code(part) if index % 2 else escaped(part) for index, part in enumerate(parts))


def synopsis(page, words, usage):
    """`usage` without its first words, which are the name of the command."""
    page.macro("Nm", word(words))
    rest = formatted(usage.removeprefix(words).strip())
    if rest:
        page.text(re.sub(r"<([^>]*)>", lambda value: italic(value.group(1)), rest))


def files(page):
    page.macro("Sh", "FILES")
    page.begin_tags()
    for names, what in FILES:
        page.macro("It", word(names))
        page.text(formatted(what))
    page.macro("El")


class Discussion:
    """The parts of the text behind the first line of a help."""

    def __init__(self, text):
        self.paragraphs, self.examples, self.statuses, self.variables = [], [], [], []
        for line in text.splitlines():
            word, _, rest = line.partition(": ")
            if word == "Example":
                self.examples.append(rest)
            elif line.startswith("    ") and self.examples:
                self.examples.append(line.strip())
            elif word == "Exit status":
                self.statuses.append(rest[0].upper() + rest[1:])
            elif re.fullmatch(r"[A-Z_]+_[A-Z_]+", word):
                self.variables.append((word, rest))
            elif line:
                self.paragraphs.append(line)


class Command:
    """A program that describes itself by --experimental-dump-help, or one of its subcommands."""

    def __init__(self, program, description, words):
        self.program, self.words = program, words
        self.about = description.get("abstract", "")
        self.discussion = Discussion(description.get("discussion", ""))
        self.arguments = []
        for it in description.get("arguments", []):
            known = len(words) > 1 and it["valueName"] in ("help", "version")
            if it["shouldDisplay"] and not known and not self.adds(it):
                self.arguments.append(it)
        self.subcommands = [
            Command(program, it, [*words, it["commandName"]])
            for it in description.get("subcommands", [])
            if it["shouldDisplay"] and it["commandName"] != "help"
        ]
        self.help = output(program, *words[1:], "--help")

    @staticmethod
    def of(program, name):
        return Command(program, json.loads(output(program, "--experimental-dump-help"))["command"], [name])

    def adds(self, option):
        """Adds --no-NAME to the names of --NAME."""
        before = self.arguments[-1] if self.arguments else {}
        names = [name["name"] for name in before.get("names", [])]
        inverse = [name["name"] for name in option.get("names", [])] == [f"no-{name}" for name in names]
        if names and inverse:
            before["names"] = before["names"] + option["names"]
        return bool(names) and inverse

    @property
    def name(self):
        return " ".join(self.words)

    @property
    def usage(self):
        found = re.search(r"^USAGE: (.*?)\n\n", self.help + "\n", re.S | re.M)
        return " ".join(found.group(1).split())

    def groups(self):
        """The subcommands under the headings of the help."""
        found = {it.words[-1]: it for it in self.subcommands}
        for title, text in re.findall(r"^([A-Z ]*)SUBCOMMANDS:\n(.*?)\n\n", self.help, re.S | re.M):
            names = re.findall(r"^  (\w[\w-]*)", text, re.M)
            yield title.strip().capitalize(), [found[name] for name in names if name in found]

    def mentioned(self):
        """The subcommands of lull that the text names."""
        text = " ".join(self.discussion.paragraphs + [it.get("abstract", "") for it in self.arguments])
        return {f"lull-{name}(1)" for name in re.findall(r'"lull ([a-z]+)', text)}

    def write(self, page, references, separate):
        """`separate`: the subcommands have pages of their own."""
        page.macro("Sh", "SYNOPSIS")
        synopsis(page, self.name, self.usage)
        page.macro("Sh", "DESCRIPTION")
        self.describe(page)
        self.options(page, "Sh")
        if self.subcommands:
            page.macro("Sh", "COMMANDS")
            if separate:
                self.list(page)
            else:
                for subcommand in self.subcommands:
                    subcommand.section(page)
        if self.discussion.variables:
            page.macro("Sh", "ENVIRONMENT")
            page.begin_tags()
            for name, text in self.discussion.variables:
                page.macro("It", "Ev", word(name))
                page.text(formatted(text[0].upper() + text[1:]))
            page.macro("El")
        if separate and self.subcommands:
            files(page)
        if self.discussion.statuses:
            page.macro("Sh", "EXIT STATUS")
            page.paragraph(formatted(" ".join(self.discussion.statuses)))
        if self.discussion.examples:
            page.macro("Sh", "EXAMPLES")
            page.literal(self.discussion.examples)
        page.references(*references)

    def describe(self, page):
        page.paragraph(formatted(self.about))
        for paragraph in self.discussion.paragraphs:
            page.paragraph(formatted(paragraph))

    def section(self, page):
        """What a page of its own says, within that of the command above."""
        page.macro("Ss", word(self.name))
        synopsis(page, self.name, self.usage)
        self.describe(page)
        for status in self.discussion.statuses:
            page.paragraph("Exit status: " + formatted(status))
        self.options(page, None)
        if self.discussion.examples:
            page.literal(self.discussion.examples)

    def list(self, page):
        for title, subcommands in self.groups():
            if title:
                page.macro("Ss", word(title))
            page.begin_tags()
            for subcommand in subcommands:
                page.macro("It", "Xr", "-".join(subcommand.words), "1")
                page.text(formatted(subcommand.about))
            page.macro("El")

    def options(self, page, heading):
        if not self.arguments:
            return
        if heading:
            page.macro(heading, "OPTIONS")
        titles = list(dict.fromkeys(it.get("sectionTitle", "") for it in self.arguments))
        for title in sorted(titles, key=bool):
            if title and heading:
                page.macro("Ss", word(title))
            page.begin_tags()
            for it in self.arguments:
                if it.get("sectionTitle", "") == title:
                    page.macro("It", *tag(it))
                    page.text(formatted(explanation(it)))
            page.macro("El")


def tag(option):
    if option["kind"] == "positional":
        return ["Ar", word(option["valueName"])]
    words = []
    for name in option["names"]:
        dash = "-" if name["kind"] == "long" else ""
        words += [*([","] if words else []), "Fl", word(dash + name["name"])]
    return words + (["Ar", word(option["valueName"])] if option["kind"] == "option" else [])


def explanation(option):
    text = option.get("abstract", "")
    default = option.get("defaultValue", "").removesuffix(".0")
    if default and option["kind"] == "option" and "default" not in text:
        text = f"{text.removesuffix('.')} (default: {default})."
    return text or "No more is to be said."


class PlainHelp:
    """A program whose --help is usage lines, sentences, options and variables."""

    def __init__(self, program):
        text = output(program, "--help").expandtabs().rstrip()
        usage, text = re.match(r"usage: (.*?)\n(?! )(.*)", text, re.S).groups()
        self.usages = [" ".join(line.split()) for line in usage.splitlines()]
        about, options = re.match(r"(.*?)\n( .*)", text, re.S).groups()
        self.text = " ".join(about.split())
        options, _, variables = options.partition("Environment:\n")
        self.options, self.variables = items(options), items(variables)

    def write(self, page, name, references):
        page.macro("Sh", "SYNOPSIS")
        for usage in self.usages:
            synopsis(page, name, re.sub(r"\b[A-Z]+\b", lambda value: f"<{value.group()}>", usage))
        page.macro("Sh", "DESCRIPTION")
        page.paragraph(formatted(self.text))
        for heading, found in [("OPTIONS", self.options), ("ENVIRONMENT", self.variables)]:
            if found:
                page.macro("Sh", heading)
                page.begin_tags()
                for words, text in found:
                    page.macro("It", argument(formatted(words)))
                    page.text(formatted(text[0].upper() + text[1:] + "."))
                page.macro("El")
        if name == "lulld":
            files(page)
        page.references(*references)


def items(text):
    """Pairs of an option, or a variable, and what it means."""
    found = []
    for line in text.splitlines():
        if item := re.match(r"  (\S.*?)  +(.*)", line):
            found.append(list(item.groups()))
        elif line.strip():
            found[-1][1] += " " + line.strip()
    return found

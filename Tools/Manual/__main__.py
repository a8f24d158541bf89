"""Makes the man pages: manual ROOT PROGRAMS FOLDER, below man1, man5, man7 and man8 of FOLDER.

SOURCE_DATE_EPOCH is their date.
"""

import os
import pathlib
import sys
import time

import helps
import markdown
from mdoc import Page

root, programs, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
date = time.strftime("%B %-d, %Y", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
version = helps.output(programs / "lull", "--version").strip().capitalize()
DOCUMENTS = [
    ("lull.programs", "5", "Files of installed programs", ["INSTALLED"], ["lull-install(1)"]),
    (
        "lull-protocol", "7", "The control protocol of lulld",
        ["PROTOCOL", "PROTOCOL-RUN", "PROTOCOL-SOUND", "PROTOCOL-RING"], [],
    ),
]


def made(name, section, about, write):
    page = Page(name, section, about, date, version)
    write(page)
    path = folder / f"man{section}" / f"{name}.{section}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(page), encoding="utf-8")


def command(program):
    found = helps.Command.of(programs / program, program)
    others = {"lull(1)", "lull-player(1)", "lull-phone(1)", "lulld(8)"} - {f"{program}(1)"}
    if program == "lull":
        others |= {"lull.programs(5)", "lull-protocol(7)"}
    made(program, "1", found.about, lambda page: found.write(page, others, program == "lull"))
    if program == "lull":
        for it in found.subcommands:
            name = "-".join(it.words)
            names = {"lull(1)"} | it.mentioned() - {f"{name}(1)"}
            made(name, "1", it.about, lambda page: it.write(page, names, False))


def helper(folder, program):
    found = helps.PlainHelp(folder / program)
    others = {"lull(1)", "lulld(8)", "lull-guard(8)", "lull-protocol(7)"} - {f"{program}(8)"}
    about = found.text.split(". ")[0]
    made(program, "8", about, lambda page: found.write(page, program, others))


def document(name, section, about, sources, references):
    def write(page):
        converter = markdown.Converter(page)
        for source in sources:
            converter.document(root / "docs" / f"{source}.md", source != sources[0])
        page.references("lull(1)", "lulld(8)", *references)

    made(name, section, about, write)


for program in ("lull", "lull-player", "lull-phone"):
    command(program)
for program in ("lulld", "lull-guard", "lull-audio", "lull-notify", "lull-transfers"):
    helper(programs, program)
helper(root / "Sources/python3-lull", "lull-baresip")
for it in DOCUMENTS:
    document(*it)

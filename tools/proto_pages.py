"""Turns a .proto file into a reference page: its services, messages and enums with their comments.

Comments are plain text with code between backquotes. Lines indented by two spaces or more become a block of code. A
comment between messages that begins with a line of dashes is a heading.

    python tools/proto_pages.py beanproto/v1/referee.proto
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
    SourceCodeInfo,
)

PROTO = Path(__file__).parents[1] / "proto"

Comments = dict[tuple[int, ...], SourceCodeInfo.Location]
"""Comments of a file by path: numbers of fields and positions in lists, from the file down to the described element."""

SERVICES, MESSAGES, ENUMS, SYNTAX = (
    FileDescriptorProto.DESCRIPTOR.fields_by_name[name].number
    for name in ("service", "message_type", "enum_type", "syntax")
)
METHODS = ServiceDescriptorProto.DESCRIPTOR.fields_by_name["method"].number
FIELDS, NESTED, NESTED_ENUMS = (
    DescriptorProto.DESCRIPTOR.fields_by_name[name].number for name in ("field", "nested_type", "enum_type")
)
VALUES = EnumDescriptorProto.DESCRIPTOR.fields_by_name["value"].number


def describe(name: str) -> FileDescriptorProto:
    """Return protoc's description of a file of this project, comments included."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        options = [f"--proto_path={PROTO}", f"--descriptor_set_out={out}", "--include_source_info", name]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options], check=True)
        (file,) = FileDescriptorSet.FromString(out.read_bytes()).file
    return file


def page(file: FileDescriptorProto, other_pages: dict[str, str] | None = None) -> str:
    """Return the page in Markdown.

    `other_pages`: for each package-qualified type that is described elsewhere, such as
    "beanproto.v1.Fault", the page to link to.
    """
    return "\n".join(Page(file, other_pages or {}).lines()) + "\n"


def type_names(file: FileDescriptorProto) -> list[str]:
    """Return the full names of the messages and enums that stand on the file's top level."""
    names = [*(each.name for each in file.message_type), *(each.name for each in file.enum_type)]
    return [f"{file.package}.{name}" for name in names]


class Page:
    """The page of one file, line by line."""

    def __init__(self, file: FileDescriptorProto, other_pages: dict[str, str]) -> None:
        self.file = file
        self.comments: Comments = {tuple(each.path): each for each in file.source_code_info.location}
        self.pages = other_pages | dict.fromkeys(type_names(file), "")

    def lines(self) -> Iterator[str]:
        file = self.file
        yield f"# {Path(file.name).name}"
        syntax = self.comments.get((SYNTAX,), SourceCodeInfo.Location())
        for comment in (*syntax.leading_detached_comments, syntax.leading_comments):
            yield from paragraphs(comment)
        yield from ("", f"The file is `{file.name}`, its package `{file.package}`.")
        for i, service in enumerate(file.service):
            yield from self.service((SERVICES, i), service)
        # As they stand in the file.
        parts: list[tuple[tuple[int, ...], DescriptorProto | EnumDescriptorProto]] = [
            *(((MESSAGES, i), each) for i, each in enumerate(file.message_type)),
            *(((ENUMS, i), each) for i, each in enumerate(file.enum_type)),
        ]
        parts.sort(key=lambda part: self.comments[part[0]].span[0])
        level = "##"
        for path, part in parts:
            for comment in self.comments[path].leading_detached_comments:
                if re.match(r" ?-{10,}\n", comment):
                    yield from ("", f"## {comment.partition(chr(10))[2].strip()}")
                    level = "###"
                else:
                    yield from paragraphs(comment)
            if isinstance(part, EnumDescriptorProto):
                yield from self.enum(path, part, level)
            else:
                yield from self.message(path, part, level)

    def heading(self, path: tuple[int, ...], name: str, level: str) -> Iterator[str]:
        yield from ("", f"{level} {name} {{ #{anchor(name)} }}")
        yield from paragraphs(self.comments[path].leading_comments)
        # Such as that behind the only line of `message Accept { ... }  // comment`.
        yield from paragraphs(self.comments[path].trailing_comments)

    def service(self, path: tuple[int, ...], service: ServiceDescriptorProto) -> Iterator[str]:
        yield from self.heading(path, service.name, "##")
        yield from ("", "| call | request | answer | |", "|---|---|---|---|")
        for i, method in enumerate(service.method):
            request = self.link(method.input_type) + " (stream)" * method.client_streaming
            answer = self.link(method.output_type) + " (stream)" * method.server_streaming
            yield f"| `{method.name}` | {request} | {answer} | {self.cell((*path, METHODS, i))} |"

    def message(self, path: tuple[int, ...], message: DescriptorProto, level: str) -> Iterator[str]:
        yield from self.heading(path, message.name, level)
        if message.field:
            yield from ("", "| number | field | type | |", "|---|---|---|---|")
        else:
            yield from ("", "No fields.")
        for i, field in enumerate(message.field):
            yield f"| {field.number} | `{field.name}` | {self.type(message, field)} | {self.cell((*path, FIELDS, i))} |"
        for i, nested in enumerate(message.nested_type):
            if nested.options.map_entry:
                continue  # made by protoc; shown as the type of its field
            yield from self.message((*path, NESTED, i), nested, level + "#")
        for i, enum in enumerate(message.enum_type):
            yield from self.enum((*path, NESTED_ENUMS, i), enum, level + "#")

    def enum(self, path: tuple[int, ...], enum: EnumDescriptorProto, level: str) -> Iterator[str]:
        yield from self.heading(path, enum.name, level)
        yield from ("", "| number | value | |", "|---|---|---|")
        for i, value in enumerate(enum.value):
            yield f"| {value.number} | `{value.name}` | {self.cell((*path, VALUES, i))} |"

    def type(self, message: DescriptorProto, field: FieldDescriptorProto) -> str:
        """Return the type with its label: repeated, optional, or the name of the `oneof` it belongs to."""
        for nested in message.nested_type:
            if nested.options.map_entry and field.type_name.endswith(f".{message.name}.{nested.name}"):
                key, value = (self.type(nested, each) for each in nested.field)
                return f"map of {key} to {value}"
        scalar = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
        name = self.link(field.type_name) if field.type_name else scalar
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            return f"repeated {name}"
        if field.proto3_optional:
            return f"optional {name}"
        if field.HasField("oneof_index"):
            return f"{name}, one of `{message.oneof_decl[field.oneof_index].name}`"
        return name

    def link(self, type_name: str) -> str:
        name = type_name.removeprefix(".")
        if name not in self.pages:
            return f"`{name}`"
        short = name.rpartition(".")[2]
        return f"[{short}]({self.pages[name]}#{anchor(short)})"

    def cell(self, path: tuple[int, ...]) -> str:
        location = self.comments[path]
        text = " ".join(f"{location.leading_comments} {location.trailing_comments}".split())
        return shown(text).replace("|", "&#124;")


def paragraphs(comment: str) -> Iterator[str]:
    """Yield a comment as paragraphs and blocks of code, each after an empty line."""
    for block in re.split(r"\n\s*\n", comment.strip("\n")):
        for is_code, lines in _runs(block.splitlines()):
            if is_code:
                yield from ("", "```text", *textwrap.dedent("\n".join(lines)).splitlines(), "```")
            elif lines:
                yield ""
                yield from (shown(line.strip()) for line in lines)


def _runs(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    run: list[str] = []
    was_code = False
    for line in lines:
        is_code = line.startswith("   ")  # protoc keeps the space after the slashes
        if run and is_code != was_code:
            yield was_code, run
            run = []
        was_code = is_code
        run.append(line)
    if run:
        yield was_code, run


def shown(text: str) -> str:
    """Escape the characters that Markdown interprets, except between backquotes."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if i % 2 else _escaped(part) for i, part in enumerate(parts))


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\*_\[\]#])", r"\\\1", text)


def anchor(name: str) -> str:
    """Return the anchor of a type."""
    return name.lower()


if __name__ == "__main__":
    print(page(describe(sys.argv[1])), end="")

"""Reference pages of .proto files, from descriptors as protoc makes them."""

from types import ModuleType

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto


@pytest.fixture
def file() -> FileDescriptorProto:
    """A file with a service, a message with a map and a `oneof`, and an enum between the two."""
    file = FileDescriptorProto(name="garden/v1/garden.proto", package="garden.v1")
    call = file.service.add(name="Garden").method.add(name="Plant", input_type=".garden.v1.Bean")
    call.output_type, call.server_streaming = ".other.Thing", True
    bean = file.message_type.add(name="Bean")
    bean.field.add(name="name", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL")
    bean.field.add(name="colours", number=2, type="TYPE_ENUM", type_name=".garden.v1.Colour", label="LABEL_REPEATED")
    bean.oneof_decl.add(name="size")
    bean.field.add(name="grams", number=3, type="TYPE_UINT32", label="LABEL_OPTIONAL", oneof_index=0)
    bean.field.add(
        name="prices", number=4, type="TYPE_MESSAGE", type_name=".garden.v1.Bean.PricesEntry", label="LABEL_REPEATED"
    )
    entry = bean.nested_type.add(name="PricesEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL")
    entry.field.add(name="value", number=2, type="TYPE_SINT64", label="LABEL_OPTIONAL")
    file.enum_type.add(name="Colour").value.add(name="COLOUR_RED", number=1)
    comments = [
        ((12,), 1, "", " What gardens say.\n\n   bean -> Plant\n"),
        ((6, 0), 5, "", " The <service>.\n"),
        ((6, 0, 2, 0), 6, "", " Plants *one*.\n"),
        ((5, 0), 9, "", " A colour.\n"),
        ((5, 0, 2, 0), 10, " as `a|b`\n", ""),
        ((4, 0), 12, "", " A bean.\n"),
        *(((4, 0, 2, i), 13 + i, "", "") for i in range(4)),
    ]
    for path, line, trailing, leading in comments:
        file.source_code_info.location.add(
            path=path, span=[line, 0, 1], leading_comments=leading, trailing_comments=trailing
        )
    return file


def test_comments_of_the_file_come_first_with_indented_lines_as_code(
    tool: ModuleType, file: FileDescriptorProto
) -> None:
    assert tool.page(file).startswith(
        "# garden.proto\n\nWhat gardens say.\n\n```text\nbean -> Plant\n```\n\nThe file is"
    )


def test_a_call_has_its_types_whether_they_stream_and_its_comment(tool: ModuleType, file: FileDescriptorProto) -> None:
    page = tool.page(file, {"other.Thing": "other.md"})
    assert "| `Plant` | [Bean](#bean) | [Thing](other.md#thing) (stream) | Plants \\*one\\*. |" in page


def test_messages_and_enums_stand_as_in_the_file(tool: ModuleType, file: FileDescriptorProto) -> None:
    page = tool.page(file)
    assert page.index("## Colour") < page.index("## Bean")


@pytest.mark.parametrize(
    "row",
    [
        "| 1 | `name` | string |",
        "| 2 | `colours` | repeated [Colour](#colour) |",
        "| 3 | `grams` | uint32, one of `size` |",
        "| 4 | `prices` | map of string to sint64 |",
    ],
)
def test_a_field_has_its_number_name_and_type(tool: ModuleType, file: FileDescriptorProto, row: str) -> None:
    assert row in tool.page(file)


def test_the_entries_of_a_map_have_no_heading(tool: ModuleType, file: FileDescriptorProto) -> None:
    assert "PricesEntry" not in tool.page(file)


def test_html_and_cell_separators_are_escaped(tool: ModuleType, file: FileDescriptorProto) -> None:
    page = tool.page(file)
    assert "The &lt;service&gt;." in page
    assert "| 1 | `COLOUR_RED` | as `a&#124;b` |" in page


def test_a_line_of_dashes_begins_a_heading_for_what_follows(tool: ModuleType, file: FileDescriptorProto) -> None:
    (bean,) = (each for each in file.source_code_info.location if each.path == [4, 0])
    bean.leading_detached_comments.append(" ----------------------\n Kinds of beans\n")
    assert "## Kinds of beans\n\n### Bean" in tool.page(file)

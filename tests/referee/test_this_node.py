"""A machine knows what it is, whatever processor it has."""

import os
import platform
from pathlib import Path

import pytest

import beanleague
from beanleague.referee.this_node import cpu_model, part_of_the_cores, this_node

X86 = """processor\t: {core}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: {model}
model name\t: Intel(R) Xeon(R) CPU  @ 2.20GHz
cpu MHz\t\t: 2{core}00.1
"""
ARM = """processor\t: {core}
BogoMIPS\t: 50.00
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: {part}
"""
POWER = "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2200.0MHz\n"
RISC_V = "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (X86.format(core=0, model=79), "Intel Xeon @ 2.20GHz (family 6 model 79)"),
        (
            "\n".join(X86.format(core=core, model=85) for core in range(3)),
            "Intel Xeon @ 2.20GHz (family 6 model 85)",
        ),
        (ARM.format(core=0, part="0xd0c"), "ARM implementer 0x41 part 0xd0c"),
        (
            "\n".join(ARM.format(core=core, part=part) for core, part in enumerate(("0xd08", "0xd03", "0xd08"))),
            "ARM implementer 0x41 part 0xd03 + ARM implementer 0x41 part 0xd08",
        ),
        (POWER, "POWER9 (architected), altivec supported"),
        (RISC_V, "sifive,u74-mc"),
        ("", ""),
    ],
)
def test_each_model_of_cpu_has_a_name_of_its_own(text: str, model: str) -> None:
    assert cpu_model(text) == model


def test_a_machine_knows_its_name_and_its_versions() -> None:
    node = this_node()
    assert node.name == platform.node()
    assert node.cpu
    assert (node.beanleague, node.python) == (beanleague.__version__, platform.python_version())
    assert this_node("left").name == "left"


def test_a_machine_that_does_not_describe_its_cpu_has_at_least_an_architecture(tmp_path: Path) -> None:
    assert this_node(cpu_info=tmp_path / "none").cpu == platform.machine()


def test_a_part_of_the_cores_is_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, quarter in ((1, {0}), (2, {1}), (7, {6}), (8, {6, 7}), (64, set(range(48, 64)))):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        assert part_of_the_cores(4) == quarter

"""The YAML files and the README's tables say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from remembr_ros.errors import ConfigurationError
from remembr_ros.ros import parameter_tables
from remembr_ros.ros.parameter_tables import CAPTIONER, QUERY, TABLES
from remembr_ros.ros.parameters import Parameter

ROOT = Path(__file__).parents[2]
ALL = {parameter.name: parameter for table in TABLES.values() for parameter in table}


def flat(tree: dict, prefix: str = "") -> dict:
    values = {}
    for key, value in tree.items():
        values |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return values


def test_nothing_generated_is_stale():
    stale = parameter_tables.renewed(ROOT)
    assert not stale, f"run `python -m remembr_ros.ros.parameter_tables --write`: {sorted(map(str, stale))}"


def test_stale_files_are_found_and_renewed(tmp_path):
    (tmp_path / "config").mkdir()
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- parameters:query -->\nstale words\n<!-- /parameters:query -->\nafter\n")
    arguments = ["--root", str(tmp_path)]
    assert parameter_tables.main(arguments) == 1
    assert parameter_tables.main(["--write", *arguments]) == 0
    assert parameter_tables.main(arguments) == 0
    text = readme.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "stale words" not in text
    assert "`navigation.mode`" in text and r"off \| confirm \| auto" in text


def test_the_yaml_holds_every_parameter_once_at_its_default():
    text = parameter_tables.yaml_text()
    tree = yaml.safe_load(text)
    values = flat(tree["/**"]["ros__parameters"])
    assert {name: parameter.check(values[name]) for name, parameter in ALL.items()} == {
        name: parameter.default for name, parameter in ALL.items()
    }
    assert values.keys() == ALL.keys()
    groups = [
        line.strip()
        for line in text.splitlines()
        if line.rstrip().endswith(":") and line.startswith("    ") and "#" not in line
    ]
    assert len(groups) == len(set(groups)), "a repeated group would hide the first one"


@pytest.mark.parametrize("file", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_every_yaml_file_uses_names_and_values_that_the_nodes_take(file):
    for name, value in flat(yaml.safe_load(file.read_text())["/**"]["ros__parameters"]).items():
        ALL[name].check(value)


def test_tables_are_sound():
    for parameter in [*CAPTIONER, *QUERY]:
        assert parameter.check(parameter.default) == parameter.default, parameter.name
        assert parameter.description.endswith("."), parameter.name
        assert not any(other.startswith(parameter.name + ".") for other in ALL), f"{parameter.name} is leaf and group"
    for node, table in TABLES.items():
        names = [parameter.name for parameter in table]
        assert len(names) == len(set(names)), node
    for name in {p.name for p in CAPTIONER} & {p.name for p in QUERY}:
        assert len({p for table in TABLES.values() for p in table if p.name == name}) == 1, f"{name} means two things"


def test_an_error_names_parameter_given_and_wanted():
    with pytest.raises(ConfigurationError, match=r"parameter rate: 'fast' \(string\) given, double wanted"):
        Parameter("rate", 1.0, "A rate.").check("fast")


@pytest.mark.parametrize("file", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_providers_in_yaml_files_exist_also_those_in_comments(file):
    group = ""
    for line in file.read_text().splitlines():
        group = line.strip(" :") if line.startswith("    ") and line.rstrip().endswith(":") else group
        if line.strip(" #").startswith(("model: ", "navigator: ")):
            name, provider = line.strip(" #").split('"')[:2]
            provider = provider.partition(":")[0]
            assert provider in ALL[f"{group}.{name.strip(' :')}"].description, f"{file.name}: {line.strip()}"

"""Field fault 51: what people write in YAML, on a real node."""

from __future__ import annotations

import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.parameter import Parameter as RosParameter  # noqa: E402

from remembr_ros.errors import ConfigurationError  # noqa: E402
from remembr_ros.ros.parameter_tables import CAPTIONER  # noqa: E402
from remembr_ros.ros.parameters import Parameter, declare, unknown_overrides  # noqa: E402

TABLE = (
    Parameter("caption_interval", 3.0, "A double.", "s", 0.5, 60.0),
    Parameter("max_cov", 0.25, "Another.", minimum=0.0),
    Parameter("image_topics", (), "Strings.", read_only=False),
    Parameter("port", 19530, "A number.", minimum=1, maximum=65535),
    Parameter("device", "", "A string."),
    Parameter("llm_model", "gpt-4o", "A string."),
    Parameter("mode", "confirm", "A choice.", choices=("off", "confirm"), read_only=False),
    Parameter("enabled", True, "A switch."),
    Parameter("depth", 2.0, "May change.", minimum=0.0, maximum=5.0, read_only=False),
)


@pytest.fixture
def make_node(tmp_path):
    context = rclpy.Context()
    nodes = []

    def make(yaml: str = ""):
        arguments = ["--ros-args"]
        if yaml:
            file = tmp_path / f"{len(nodes)}.yaml"
            file.write_text("/**:\n  ros__parameters:\n" + "".join(f"    {line}\n" for line in yaml.splitlines()))
            arguments += ["--params-file", str(file)]
        nodes.append(rclpy.create_node("probe", context=context, cli_args=arguments, use_global_arguments=False))
        return nodes[-1]

    rclpy.init(context=context)
    yield make
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_an_integer_is_accepted_for_a_double(make_node):
    node = make_node("caption_interval: 3\nmax_cov: 1")
    values = declare(node, TABLE)
    assert values["caption_interval"] == 3.0 and isinstance(values["caption_interval"], float)
    assert values["max_cov"] == 1.0 and isinstance(values["max_cov"], float)
    assert node.get_parameter("caption_interval").type_ is RosParameter.Type.DOUBLE


def test_an_empty_list_takes_strings_later(make_node):
    node = make_node("image_topics: []")
    values = declare(node, TABLE)
    assert values["image_topics"] == ()
    (result,) = node.set_parameters([RosParameter("image_topics", value=["/a"])])
    assert result.successful, result.reason
    assert values["image_topics"] == ("/a",)


@pytest.mark.parametrize(
    ("yaml", "words"),
    [
        ("port: '19530'", ("port", "'19530'", "string", "integer")),
        ("device: 0", ("device", "0", "integer", "string")),
        ("llm_model: 4", ("llm_model", "4", "integer", "string")),
        ("enabled: 1", ("enabled", "1", "integer", "bool")),
        ("caption_interval: true", ("caption_interval", "True", "bool", "double")),
        ("caption_interval: 'three'", ("caption_interval", "'three'", "string", "double")),
        ("caption_interval: [3.0]", ("caption_interval", "list", "double")),
        ("caption_interval: 0", ("caption_interval", "0", "0.5 to 60", "[s]")),
        ("caption_interval: .nan", ("caption_interval", "nan", "0.5 to 60")),
        ("max_cov: -1", ("max_cov", "-1", ">= 0")),
        ("port: 70000", ("port", "70000", "1 to 65535")),
        ("port: 19530.5", ("port", "19530.5", "double", "integer")),
        ("mode: automatic", ("mode", "automatic", "off, confirm")),
        ("image_topics: /a", ("image_topics", "'/a'", "string list")),
        ("image_topics: [1, 2]", ("image_topics", "1", "string")),
    ],
)
def test_a_wrong_value_is_refused_by_name_given_and_wanted(make_node, yaml, words):
    with pytest.raises(ConfigurationError) as refused:
        declare(make_node(yaml), TABLE)
    for word in words:
        assert word in str(refused.value)


def test_a_device_string_is_fine(make_node):
    assert declare(make_node("device: 'hw:1,0'"), TABLE)["device"] == "hw:1,0"


def test_everything_that_is_wrong_is_said_at_once(make_node):
    with pytest.raises(ConfigurationError, match=r"port.*device"):
        declare(make_node("port: '1'\ndevice: 0"), TABLE)


def test_a_set_at_run_time_is_checked(make_node):
    changed = []
    node = make_node()
    values = declare(node, TABLE, changed.append)
    refused = {
        "mode": "automatic",
        "depth": 9,
        "port": 1,  # read only
    }
    for name, value in refused.items():
        (result,) = node.set_parameters([RosParameter(name, value=value)])
        assert not result.successful and name in result.reason, (name, result.reason)
    (result,) = node.set_parameters([RosParameter("depth", value=3)])
    assert result.successful, result.reason
    assert values["depth"] == 3.0 and isinstance(values["depth"], float)
    assert changed == ["depth"]


def test_descriptors_say_what_is_allowed(make_node):
    node = make_node()
    declare(node, TABLE)
    descriptor = node.describe_parameter("caption_interval")
    assert descriptor.description == "A double. [s]"
    assert (descriptor.floating_point_range[0].from_value, descriptor.floating_point_range[0].to_value) == (0.5, 60.0)
    assert descriptor.read_only
    assert node.describe_parameter("mode").additional_constraints == "off | confirm"


def test_a_misspelt_name_is_reported_with_the_nearest():
    (warning,) = unknown_overrides(
        ["window_secs", "use_sim_time", "qos_overrides./clock.depth", "camera"], ["window_s", "camera"]
    )
    assert "window_secs" in warning and "window_s?" in warning


@pytest.mark.parametrize("name", ["robot_id", "camera", "map_id"])
def test_a_name_that_fits_no_row_is_refused_at_configuration(name):
    (parameter,) = [parameter for parameter in CAPTIONER if parameter.name == name]
    assert parameter.check("\u00e9" * 128) == "\u00e9" * 128
    with pytest.raises(ConfigurationError, match=f"parameter {name}: .*at most 256 bytes"):
        parameter.check("\u00e9" * 129)

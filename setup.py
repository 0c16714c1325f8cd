"""Installs remembr_ros as an ament_python package: modules, programs, launch and parameter files."""

from glob import glob

from setuptools import find_packages, setup

NAME = "remembr_ros"
setup(
    name=NAME,
    version="0.1.0",
    description="Lets a robot remember what it saw and answer questions about it (ReMEmbR)",
    license="Apache-2.0",
    maintainer="remembr_ros maintainers",
    maintainer_email="maintainers@remembr-ros.org",
    python_requires=">=3.10",
    # Only what starting a program takes: anything else that is missing is named by the part that needs it.
    install_requires=["setuptools"],
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "recall/everyday_words.txt"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", sorted(glob("launch/*.launch.py"))),
        (f"share/{NAME}/config", sorted(glob("config/*.*"))),
    ],
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "captioner = remembr_ros.nodes.captioner_node:main",
            "query = remembr_ros.nodes.query_node:main",
            "whisper = remembr_ros.nodes.whisper_node:main",
            "remembr = remembr_ros.cli.main:main",
        ],
    },
)

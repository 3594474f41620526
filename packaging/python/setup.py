"""Gives the wheel its tag: any Python 3 on a Linux whose glibc is not older than the bundle's."""

import pathlib
import platform

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

BUNDLE = pathlib.Path(__file__).parent / "src" / "kinformer" / "bundle"


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


class BundleWheel(bdist_wheel):
    def get_tag(self):
        glibc = (BUNDLE / "glibc").read_text().strip().replace(".", "_")
        return "py3", "none", f"manylinux_{glibc}_{platform.machine()}"


setup(distclass=BinaryDistribution, cmdclass={"bdist_wheel": BundleWheel})

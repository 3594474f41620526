"""Recipe of Conan 2 for kinformer: conan create packaging/conan."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load, rmdir

SOURCES = ("CMakeLists.txt", "LICENSE", "cmake/*", "codegen/*", "include/*",
           "schema/*", "server/*", "src/*", "cli/*")


class Kinformer(ConanFile):
    name = "kinformer"
    package_type = "library"
    license = "Apache-2.0"
    description = "Kubernetes informers for C++: clients, caches, work queues and controllers"
    topics = ("kubernetes", "informer", "controller", "operator")
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "tools": [True, False], "postgres": [True, False]}
    default_options = {"shared": False, "tools": False, "postgres": False}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(kinformer VERSION ([\d.]+)", text).group(1)

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self._root, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("kinformer needs Linux")
        if self.settings.get_safe("compiler.cppstd") in ("98", "11", "14", "17", "gnu17", "gnu14"):
            raise ConanInvalidConfiguration("kinformer needs compiler.cppstd=20 or later")

    def requirements(self):
        self.requires("boost/[>=1.74]", headers=True, libs=False)
        for needed in ("libcurl/[>=7.88]", "libnghttp2/[>=1.52]", "openssl/[>=3]",
                       "re2/[>=20220601]", "simdjson/[>=2]", "sqlite3/[>=3.40]", "zlib/[>=1.2]",
                       "zstd/[>=1.5]"):
            self.requires(needed)
        if self.options.postgres:
            self.requires("libpq/[>=15]")
        if self.options.tools:
            self.requires("cli11/[>=2.3]")
            self.requires("fmt/[>=9]")

    def layout(self):
        self.folders.build = "build/release"
        self.folders.generators = "build/release/generators"

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"KINFORMER_BUILD_{part}"] = False
        toolchain.cache_variables["KINFORMER_BUILD_CLI"] = bool(self.options.tools)
        toolchain.cache_variables["KINFORMER_POSTGRES"] = bool(self.options.postgres)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        # kinformer's own package for CMake names its components and what each one needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "kinformer")]
        self.cpp_info.libs = ["kinformer"]
        self.cpp_info.system_libs = ["pthread"]

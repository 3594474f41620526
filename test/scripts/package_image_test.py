"""The image and the bill of materials of the static command: every digest is that of its file, and
the same input makes the same bytes in any folder."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
X86_64, ARM64, RISCV = 62, 183, 243


def program(machine):
    """The first bytes of a program of ELF."""
    return b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little") + b"code"


def make_parts(folder):
    """What packaging/static/fetch leaves, with files of one line."""
    certificates = folder / "sources/ca-certificates/usr/share/ca-certificates/mozilla"
    certificates.mkdir(parents=True)
    for name in ("b", "a"):
        (certificates / f"{name}.crt").write_text(f"certificate {name}\n")
    for name in ("LICENSE", "lib/libc/musl/COPYRIGHT", "lib/libcxx/LICENSE.TXT",
                 "lib/libcxxabi/LICENSE.TXT", "lib/libunwind/LICENSE.TXT"):
        notice = folder / "zig/ziglang" / name
        notice.parent.mkdir(parents=True, exist_ok=True)
        notice.write_text(f"notice of {name}\n")
    for name, notice in (("zlib/debian", "of zlib"),
                         ("libboost1.74-dev/usr/share/doc/libboost1.74-dev", "of Boost")):
        (folder / "sources" / name).mkdir(parents=True)
        (folder / "sources" / name / "copyright").write_text(notice)
    lines = []
    for line in (ROOT / "packaging/static/parts.txt").read_text().splitlines():
        words = line.split()
        if words and words[0] in ("source", "headers", "data"):
            archive = folder / "sources/archives" / words[1] / f"{words[1]}_1.tar"
            archive.parent.mkdir(parents=True)
            archive.write_text(words[1])
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            lines.append(f"{words[1]}\t1:1.0+dfsg-2\t{archive.name}\t{digest}\n")
    (folder / "sources/versions.tsv").write_text("".join(lines))


class PackageImage(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_script(self, name, folder, machines=(X86_64, ARM64)):
        """Runs scripts/NAME over new parts and programs below `folder`; returns how it ended."""
        out, parts = folder / "out", folder / "parts"
        if not parts.exists():
            out.mkdir(parents=True)
            make_parts(parts)
        commands = []
        for machine in machines:
            commands.append(out / f"kinformer-{machine}")
            commands[-1].write_bytes(program(machine))
        return subprocess.run(
            [sys.executable, "-B", ROOT / "scripts" / name, out, parts, *commands], text=True,
            capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})

    def written(self, name, folder, **more):
        """The bytes of all files that the script writes, by their names."""
        ended = self.run_script(name, folder, **more)
        self.assertEqual("", ended.stderr)
        return {str(path.relative_to(folder / "out")): path.read_bytes()
                for path in (folder / "out").rglob("*") if path.is_file()}

    def blob(self, files, descriptor):
        (found,) = [content for name, content in files.items()
                    if name.endswith("blobs/" + descriptor["digest"].replace(":", "/"))]
        self.assertEqual(descriptor["size"], len(found))
        self.assertEqual(descriptor["digest"], "sha256:" + hashlib.sha256(found).hexdigest())
        return found

    def test_image_digests_and_contents(self):
        files = self.written("package-oci", self.folder)
        (outer,) = [json.loads(content) for name, content in files.items()
                    if name.endswith(".oci/index.json")]
        index = json.loads(self.blob(files, outer["manifests"][0]))
        self.assertEqual(["amd64", "arm64"],
                         [one["platform"]["architecture"] for one in index["manifests"]])
        for one, machine in zip(index["manifests"], (X86_64, ARM64)):
            manifest = json.loads(self.blob(files, one))
            config = json.loads(self.blob(files, manifest["config"]))
            self.assertEqual("65532:65532", config["config"]["User"])
            self.assertEqual(["/kinformer"], config["config"]["Entrypoint"])
            tars = [gzip.decompress(self.blob(files, layer)) for layer in manifest["layers"]]
            self.assertEqual(config["rootfs"]["diff_ids"],
                             ["sha256:" + hashlib.sha256(tar).hexdigest() for tar in tars])
            system, own = (tarfile.open(fileobj=io.BytesIO(tar)) for tar in tars)
            self.assertEqual(program(machine), own.extractfile("kinformer").read())
            self.assertEqual(b"certificate a\ncertificate b\n",
                             system.extractfile("etc/ssl/certs/ca-certificates.crt").read())
            said = system.extractfile("usr/share/doc/kinformer/notices").read().decode()
            self.assertIn("of zlib", said)
            self.assertIn("notice of lib/libc/musl/COPYRIGHT", said)
            self.assertNotIn("of Boost", said)
            self.assertEqual(0o1777, system.getmember("tmp").mode)
            self.assertEqual({1700000000}, {member.mtime for member in system})

    def test_bill_names_every_part_and_file(self):
        files = self.written("package-sbom", self.folder)
        (bill,) = [json.loads(content) for name, content in files.items()
                   if name.endswith(".spdx.json")]
        names = {one["name"]: one for one in bill["packages"]}
        self.assertLessEqual({"kinformer", "openssl", "curl", "musl", "ziglang"}, set(names))
        self.assertEqual("pkg:deb/debian/openssl@1%3A1.0%2Bdfsg-2?arch=source",
                         names["openssl"]["externalRefs"][0]["referenceLocator"])
        known = ({one["SPDXID"] for one in bill["packages"]}
                 | {one["SPDXID"] for one in bill["files"]} | {"SPDXRef-DOCUMENT"})
        self.assertEqual(len(known), 1 + len(bill["packages"]) + len(bill["files"]))
        for one in bill["relationships"]:
            self.assertIn(one["spdxElementId"], known)
            self.assertIn(one["relatedSpdxElement"], known)
        digests = {one["fileName"]: one["checksums"] for one in bill["files"]}
        self.assertIn({"algorithm": "SHA256",
                       "checksumValue": hashlib.sha256(program(X86_64)).hexdigest()},
                      digests["./kinformer-62"])

    def test_same_bytes_in_another_folder(self):
        for name in ("package-oci", "package-sbom"):
            with self.subTest(name):
                self.assertEqual(self.written(name, self.folder / name / "a"),
                                 self.written(name, self.folder / name / "other/b"))

    def test_what_is_no_program_for_a_known_processor(self):
        ended = self.run_script("package-oci", self.folder, machines=[RISCV])
        self.assertEqual(1, ended.returncode)
        self.assertIn("is no program for x86-64 or arm64", ended.stderr)


if __name__ == "__main__":
    unittest.main()

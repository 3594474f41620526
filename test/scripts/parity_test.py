#!/usr/bin/env python3
"""scripts/parity: what counts as a counterpart, and what it says of its lists; and what
scripts/declarations.py reads in headers."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "parity"
loader = importlib.machinery.SourceFileLoader("parity", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("parity", loader))
loader.exec_module(script)

HEADERS = {
    "cache/store.h": """
#define MACRO(x) \\
  class x {};
namespace kinformer {
class Forward;
// class Comment {};
inline constexpr std::string_view kNamespaceIndex = "class Text {};";
enum class Kind : std::uint8_t { kFirst, kSecond = 2, };
template <std::convertible_to<int> T>
  requires(sizeof(T) > 1) && (!std::same_as<T, bool>)
class [[nodiscard]] Store : public internal::Base<T>, private Hidden {
  int private_by_default = 1;

 public:
  explicit(sizeof(T) > 2) Store(Env& env) : env_(env), list_{1, 2} { env.Call(); }
  template <class M>
    requires std::same_as<M, T>
  [[nodiscard]] std::function<int(T)> Add(const M& m, Options o = {}) const;
  template <class M>
  void Body(const M& m) {
    if constexpr (true) {} else { static_assert(internal::kNeverHolds<M>, "text"); }
  }
  template <class M>
  auto Eventf(const M&) { static_assert(internal::kNeverHolds<M>, "there is no Eventf"); }
  friend bool operator==(const Store&, const Store&) = default;
  using Other::Taken;
  using HiddenMisuse::Explained;
  struct Inner { int value{0}; enum class Type { kAdd }; };

 protected:
  void Protected();

 private:
  void Private();
};
using Alias = Store<int>;
template <class T>
concept Fits = requires { sizeof(T); };
Result<void> Load(const std::string& path,
                  std::function<void(int)> done = {});
namespace names {
struct Plain { std::string text{}; int number; };
}  // namespace names
namespace internal {
class Secret {};
}  // namespace internal
}  // namespace kinformer
""",
    "internal/base.h": "namespace kinformer::internal {\ntemplate <class T>\nclass Base {\n"
                       " public:\n  void Inherited();\n};\n}  // namespace kinformer::internal\n",
    "cache/other.h": "namespace kinformer {\nclass Other {\n public:\n  void Run();\n};\n"
                     "}  // namespace kinformer\n",
}
FACTS = """# Names.
cache	Store	type
cache	Store.Add	method
cache	Store.DeepCopy	method
cache	NewStore	func
cache	NewStoreWithContext	func
cache	NamespaceIndex	const
cache	First	const
"""
PAGE = "# Page\n\n" + script.HEADING + "\n\n| package | n | m | text |\n|---|---|---|---|\n"


class Parity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in HEADERS.items():
            self.write(f"include/kinformer/{name}", text)
        self.write("schema/corev1.tsv", "message\tPod\ttypemeta\nfield\t1\tname\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, facts, lines, page="", found=0, missing=99, names=0):
        self.write(script.FACTS, facts)
        self.write(script.LINES, lines)
        self.write(script.PAGE, PAGE + page)
        findings, judge = script.check(self.root, found, missing, names)
        return findings, {fact.name: verdict for fact, verdict in judge.verdicts.items()}

    def whats(self, facts, lines):
        return {name: verdict.what for name, verdict in self.check(facts, lines)[1].items()}

    # ---- Headers

    def test_names_in_namespaces_are_declared_and_what_only_looks_so_is_not(self):
        declared = script.Declarations(self.root)
        for name in ("kNamespaceIndex", "Kind", "Kind::kSecond", "Store", "Alias", "Fits", "Load",
                     "names::Plain", "names::Plain::text", "names::Plain::number"):
            self.assertTrue(declared.has("cache/store.h", name), name)
        for name in ("Forward", "Comment", "Text", "x", "MACRO", "done", "Secret", "Plain",
                     "internal::Secret", "Other"):
            self.assertFalse(declared.has("cache/store.h", name), name)

    def test_a_class_has_its_public_members_and_those_of_its_public_bases(self):
        declared = script.Declarations(self.root)
        self.assertEqual(declared.members("Store"), {
            "Add", "Body", "Taken", "Inner", "Inherited"})
        self.assertEqual(declared.members("Alias"), declared.members("Store"))
        self.assertTrue(declared.has("cache/store.h", "Store::Inner::value"))
        self.assertTrue(declared.has("cache/store.h", "Store::Inner::Type::kAdd"))

    def test_generated_headers_have_the_kinds_of_the_schema_and_internal_ones_have_nothing(self):
        declared = script.Declarations(self.root)
        self.assertTrue(declared.has("api/corev1.h", "corev1::Pod"))
        self.assertFalse(declared.has("api/corev1.h", "corev1::Node"))
        self.assertFalse(declared.has("internal/base.h", "internal::Base"))

    # ---- Names

    def test_names_methods_constants_constructors_twins_and_copies_have_counterparts(self):
        self.assertEqual(self.whats(FACTS, "[cache] cache/\n"), {
            "Store": "same", "Store.Add": "same", "Store.DeepCopy": "other name",
            "NewStore": "other name", "NewStoreWithContext": "other name",
            "NamespaceIndex": "same", "First": "same"})

    def test_the_same_name_counts_in_the_headers_of_its_package_only(self):
        facts = "cache\tStore\ttype\n"
        self.assertEqual(self.whats(facts, "[cache] cache/store.h\n")["Store"], "same")
        self.assertEqual(self.whats(facts, "[cache] cache/other.h\n")["Store"], "unexplained")
        self.assertEqual(self.whats(facts, "[rest] cache/store.h\n")["Store"], "unexplained")

    def test_a_name_of_a_constant_needs_no_k_and_other_names_get_none(self):
        self.assertEqual(self.whats("cache\tNamespaceIndex\tfunc\n", "[cache] cache/\n"),
                         {"NamespaceIndex": "unexplained"})

    def test_a_method_is_looked_for_in_what_stands_for_its_type(self):
        facts = "cache\tRunner\ttype\ncache\tRunner.Run\tmethod\ncache\tRunner.Add\tmethod\n"
        findings, verdicts = self.check(facts, "[cache]\nRunner = cache/other.h Other\n")
        self.assertEqual(verdicts["Runner"].what, "other name")
        self.assertEqual(verdicts["Runner.Run"].here, "Other::Run")
        self.assertEqual(findings, ["cache Runner.Add has neither a counterpart nor a reason in "
                                    f"{script.LINES}"])

    def test_the_longest_line_wins_and_one_without_stars_before_all(self):
        facts = "cache\tOneTwo\tfunc\ncache\tOneThree\tfunc\ncache\tOneFour\tfunc\n"
        lines = "[cache]\n* - go x\nOneT* - spdy x\nOneTwo - missing x\n"
        verdicts = self.check(facts, lines)[1]
        self.assertEqual([verdicts[name].reason for name in ("OneTwo", "OneThree", "OneFour")],
                         ["missing", "spdy", "go"])

    def test_methods_twins_and_constructors_of_what_has_no_counterpart_share_its_reason(self):
        facts = ("cache\tHeap\ttype\ncache\tHeap.Pop\tmethod\ncache\tNewHeap\tfunc\n"
                 "cache\tNewHeapWithOptions\tfunc\ncache\tHeap.DeepCopy\tmethod\n")
        verdicts = self.check(facts, "[cache]\nHeap - missing x\n[*]\n*.DeepCopy - go x\n")[1]
        for name in ("Heap", "Heap.Pop", "NewHeap", "NewHeapWithOptions"):
            self.assertEqual(verdicts[name].what, "none", name)
            self.assertEqual(verdicts[name].reason, "missing", name)
        self.assertEqual(verdicts["Heap.DeepCopy"].reason, "go")

    def test_lines_for_all_packages_hold_where_a_package_has_none(self):
        facts = "a\tKind\tfunc\nb\tKind\tfunc\n"
        page = "| `a` | 1 |  | x |\n| `b` | 1 |  | x |\n"
        findings, _ = self.check(facts, "[*]\nKind - go x\n", page)
        self.assertEqual(findings, [])

    # ---- Findings

    def test_lines_that_no_name_needs_are_findings(self):
        lines = "[cache] cache/\nStore = cache/other.h Other\nGone - go x\nGo* - go x\n"
        findings, _ = self.check("cache\tStore\ttype\n", lines)
        self.assertEqual(findings, [
            f"{script.LINES}:2: cache/store.h declares Store: strike the line",
            f"{script.LINES}:3: no name needs Gone: strike the line",
            f"{script.LINES}:4: no name needs Go*: strike the line"])

    def test_counterparts_and_headers_that_do_not_exist_are_findings(self):
        lines = "[cache] cache/gone.h\nA = cache/other.h Store\n"
        findings, _ = self.check("cache\tA\ttype\n", lines)
        self.assertEqual(findings, [
            f"{script.LINES}:2: no public header cache/other.h declares Store: correct the line",
            f"{script.LINES}: [cache] names cache/gone.h, which is not there"])

    def test_a_part_that_was_being_built_and_is_there_is_a_finding(self):
        facts, page = "cache\tA\ttype\n", "| `cache` | 1 | 1 | x |\n"
        self.assertEqual(self.check(facts, "[cache]\n* - coming cache/new.h\n", page)[0], [])
        self.assertEqual(self.check(facts, "[cache]\n* - coming cache/other.h\n", page)[0], [
            f"{script.LINES}:2: cache/other.h is there: say what stands for *"])

    def test_lines_of_another_form_are_findings(self):
        for line in ("A = cache/other.h", "A - because", "A - why x", "A"):
            self.assertEqual(self.check("", f"[cache]\n{line}\n")[0], [
                f"{script.LINES}:2: not a package, a counterpart or a reason"], line)
        self.assertIn("1: not a package", self.check("", "A - go x\n")[0][0])

    def test_counts_that_get_worse_are_findings(self):
        facts = "cache\tOther\ttype\ncache\tHeap\ttype\n"
        lines = "[cache] cache/\nHeap - missing x\n"
        page = "| `cache` | 1 | 1 | x |\n"
        self.assertEqual(self.check(facts, lines, page, 1, 1, 2)[0], [])
        self.assertEqual(self.check(facts, lines, page, 2, 0, 3)[0], [
            f"{script.FACTS}: 2 names, there were 3", "1 names have a counterpart, 2 had one",
            "1 names are missed, 0 were"])

    def test_the_rows_of_the_page_have_the_numbers_of_their_packages(self):
        facts = "a\tOne\tfunc\na/b\tTwo\tfunc\na/b\tThree\tfunc\na/c\tFour\tfunc\n"
        lines = "[*]\nOne - go x\nT* - missing x\nFour - go x\n"
        page = "| `a` | 1 |  | x |\n| `a/*` | 3 | 2 | x |\n"
        self.assertEqual(self.check(facts, lines, page)[0], [])
        page = ("| `a` | 2 |  | x |\n| `a/*` | 1 |  | x |\n| `a/b` | 2 | 1 | x |\n"
                "| `d` | 1 |  | x |\n")
        self.assertEqual(self.check(facts, lines, page)[0], [
            f"{script.PAGE}: a row of the table is to begin with | `a` | 1 |  |",
            f"{script.PAGE}: a row of the table is to begin with | `a/b` | 2 | 2 |",
            f"{script.PAGE}: strike the row of d: all its names have a counterpart"])

    def test_counts_are_printed_by_package_and_names_on_demand(self):
        facts = "a\tOther\ttype\na/b\tHeap\ttype\n"
        self.write(script.FACTS, facts)
        self.write(script.LINES, "[a] cache/\n[a/b]\nHeap - missing x\n")
        judge = script.Judge(self.root)
        self.assertEqual([" ".join(line.split()) for line in script.counts(judge)],
                         ["a 1 same", "a/b 1 none: 1 missing", "all 1 same, 1 none: 1 missing"])
        self.assertEqual([" ".join(line.split()) for line in script.listed(judge, ["a"])],
                         ["same a Other: cache/other.h Other"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests of scripts/user-functions: what it finds in a header, and what it says of a table."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "user-functions"
loader = importlib.machinery.SourceFileLoader("user_functions", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("user_functions", loader))
loader.exec_module(script)

HEADER = """
// A comment with std::function<void()> in it.
using Maker = std::function<std::unique_ptr<Thing>(int)>;
struct Options {
  std::function<void(const std::string& text)> told{};
  std::function<void()> delete_{};
};
template <class T>
class Handler : public Base {
 public:
  virtual ~Handler() = default;
  [[nodiscard]] virtual std::map<int, T> Handle(T request) = 0;
  void Watch(int x, const std::function<bool(T)>& visit);
  std::function<void()> Given() const;
  template <std::convertible_to<std::function<T(int)>> Make>
  void Use(const Make& make) {
    const std::function<T(int)> function = make;
    if (function) Watch(function(1), {});
  }
  void After(std::function<void()> then = {});
  template <class Work>
    requires(sizeof(Work) > 1)
  [[nodiscard]] std::vector<T> Each(int count, Work&& work) const {
    for (int i = 0; i < count; ++i) work(i);
    return {};
  }
  template <class F>
  Result<void> Complete(F reconcile) {
    return Build(std::move(reconcile));
  }
  template <class A, std::invocable<A> Given>
  void Tell(const A& text, const Given& given);
  template <class Make, class Other>
  explicit Handler(Make make, Other other, std::enable_if_t<std::is_invocable_r_v<T, Make&>>* = {})
      : made_(std::move(make)) {}
  template <class Text>
  void Say(const Text& text) {
    text.size();
    print(text);
  }
  template <class U>
  friend void Befriend(std::function<U()> call);
  template <class E>
  EventFunction<E> on_event{};

 private:
  template <class F>
  void Hidden(F call) {
    call();
  }
  std::function<void()> kept_;
};
template <class Queue, class Reconcile>
bool Process(Queue& queue, Reconcile& reconcile) {
  return Contained([&] { return reconcile(queue.Get()); });
}
"""


class Functions(unittest.TestCase):
    def test_of_a_header(self):
        self.assertEqual(script.functions(HEADER),
                         ["Maker", "Options::told", "Options::delete_", "Handler::Handle()",
                          "Handler::Watch(visit)", "Handler::Use(make)", "Handler::After(then)",
                          "Handler::Each(work)", "Handler::Complete(reconcile)",
                          "Handler::Tell(given)", "Handler::Handler(make)",
                          "Process(reconcile)"])

    def test_of_classes_that_are_functions(self):
        text = """
template <class Event>
class EventFunction : public std::function<void(const Event&)> {
 public:
  EventFunction() = default;
};
template <class T>
struct Funcs {
  EventFunction<Added<T>> on_add{};
};
"""
        self.assertEqual(script.functions(text, {"EventFunction"}), ["Funcs::on_add"])
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "include" / "kinformer" / "internal" / "h.h"
            header.parent.mkdir(parents=True)
            header.write_text(text)
            self.assertIn("EventFunction", script.derived_functions(pathlib.Path(folder)))


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write("include/kinformer/h.h", "struct O {\n std::function<void()> f;\n};\n")
        self.write("src/a/CMakeLists.txt", "kinformer_test(a_test\n  SOURCES x_test.cc\n)\n")
        self.write("src/a/x_test.cc", 'TEST(X, Throws) {}\nTEST_P(X, Ends) { Case("One"); }\n')

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def check(self, table):
        self.write("test/user-functions.txt", table)
        return script.check(self.root)

    def test_a_test_or_a_reason_will_do(self):
        for thrown in ("-> a_test: X.Throws", "-- nobody notices"):
            for ending in ("-> a_test: X.Ends", "-> a_test: X.Ends/One", "-- it has no end"):
                self.assertEqual(self.check(f"h.h O::f {thrown} | {ending}\n"), [])
        self.assertEqual(self.check("h.h O::f -- it is never called\n"), [])

    def test_a_line_that_says_nothing_of_the_end(self):
        findings = self.check("h.h O::f -> a_test: X.Throws\n")
        self.assertEqual(len(findings), 1)
        self.assertIn("ends what calls it", findings[0])

    def test_a_function_without_a_line(self):
        findings = self.check("# nothing\n")
        self.assertEqual(len(findings), 1)
        self.assertIn("h.h O::f", findings[0])

    def test_a_test_that_is_not_there(self):
        for test in ("a_test: X.Other", "b_test: X.Throws", "a_test: X.Ends/Two"):
            for line in (f"h.h O::f -> {test} | -- none", f"h.h O::f -- none | -> {test}"):
                self.assertEqual(len(self.check(line + "\n")), 1, line)

    def internal_names(self, header):
        self.write("include/kinformer/h.h", f"namespace kinformer {{\n{header}}}\n")
        return list(script.internal_names(self.root, script.all_functions(self.root)))

    def test_functions_that_name_something_internal(self):
        for line in ("virtual void Take(internal::Handle object) = 0;",
                     "virtual internal::Handle Give() const = 0;",
                     "virtual std::vector<internal::Handle> Give() { return {}; }",
                     "std::function<void(kinformer::internal::Handle)> f;",
                     "Callable<bool(const internal::Handle&), internal::Words> f;",
                     "Changing<Callable<bool(internal::Handle), internal::Words>, T> f;",
                     "void Visit(const std::function<void(internal::Handle)>& visit);"):
            findings = self.internal_names(f"struct O {{\n  {line}\n}};\n")
            self.assertEqual(len(findings), 1, line)
            self.assertIn("names internal::", findings[0])
        for line in ("virtual void Take(Public object) { internal::Use(object); }",
                     "internal::Callable<bool(Public), internal::Words> f;",
                     "internal::Handle Hidden(internal::Handle object);",
                     "void Visit(const std::function<void(Public)>& visit, internal::Handle x);"):
            self.assertEqual(self.internal_names(f"struct O {{\n  {line}\n}};\n"), [], line)
        for line in ("virtual void Take(internal::Handle object) = 0;",
                     "std::function<void(internal::Handle)> f;"):
            within = f"namespace n::internal {{\nstruct O {{\n  {line}\n}};\n}}\n"
            self.assertEqual(self.internal_names(within), [], line)

    def test_structs_that_functions_handle_and_that_have_something_internal(self):
        function = "using Handler = std::function<Answer(const Event<T>&)>;\n"
        public = "struct Answer {\n  int x = 0;\n};\ntemplate <class T>\nstruct Event {\n"
        for line in ("internal::Handle object{};", "const internal::Block* block = nullptr;",
                     "std::optional<internal::Handle> object;"):
            findings = self.internal_names(public + f"  T view;\n  {line}\n}};\n" + function)
            self.assertEqual(len(findings), 1, line)
            self.assertIn("Event::", findings[0])
            within = f"  Inner inner{{}};\n}};\nstruct Inner {{\n  {line}\n}};\n"
            self.assertIn("Inner::", self.internal_names(public + within + function)[0])
        for line in ("std::function<void()> f;", "Callable<void(), internal::Words> f;",
                     "int Of() const { return internal::Of(*this); }",
                     "static internal::Handle Make();"):
            self.assertEqual(self.internal_names(public + f"  {line}\n}};\n" + function), [], line)
        alone = "struct Other {\n  internal::Handle object;\n};\n"
        self.assertEqual(self.internal_names(public + "};\n" + function + alone), [])

    def test_lines_that_are_wrong(self):
        good = "h.h O::f -- why\n"
        for line in ("h.h O::gone -- why", "h.h O::f -- again", "h.h O::g ?? not yet", "words",
                     "h.h O::g -- why | or not", "h.h O::g -- why | -- why | -- why"):
            self.assertEqual(len(self.check(good + line + "\n")), 1, line)


if __name__ == "__main__":
    unittest.main()

"""Emits Go's way from a factory to an informer: factory.Core().V1().Pods()."""

import re

from descriptors import HEADER
from views import views_of

# Where client-go's name of a group is not the package's.
_GROUPS = {"Apiserverinternal": "Internal"}

# Groups that no informer is for: their objects are measurements, not stored.
_NOT_CACHED = ("metrics", "custommetrics", "externalmetrics")


def group_and_version(package):
    """"Core" and "V1" of corev1."""
    name, version = re.fullmatch(r"(.*?)(v\d.*)", package.alias).groups()
    group = name[0].upper() + name[1:]
    return name, _GROUPS.get(group, group), version[0].upper() + version[1:]


def plural(kind, resource):
    """The kind's name in the plural, as client-go's generator spells it: "NetworkPolicies"."""
    lower = kind.lower()
    if resource.startswith(lower):
        return kind + resource[len(lower):]
    assert lower.endswith("y") and resource == lower[:-1] + "ies", (kind, resource)
    return kind[:-1] + "ies"


def groups_of(schema):
    """{group: {version: (package, [(method, kind)])}} of all that can be listed."""
    resources = {r.kind: r for r in schema.resources if "list" in r.verbs}
    groups = {}
    for package in schema.packages.values():
        if package.alias.startswith("metav1"):
            continue
        name, group, version = group_and_version(package)
        if name in _NOT_CACHED:
            continue
        kinds = []
        for message in views_of(package):
            resource = resources.get((package.group, package.version, message.name))
            # What is not stored, such as a review, has no list.
            listed = resource is not None and message.name + "List" in package.messages
            if message.is_object and listed:
                kinds.append((plural(message.name, resource.name), message.name))
        if kinds:
            groups.setdefault(group, {})[version] = (package, sorted(kinds))
    return dict(sorted(groups.items()))


def groups_header(schema):
    groups = groups_of(schema)
    out = ["""// kinformer/internal/factory_groups.h
//
// The groups that SharedInformerFactory names; factory_accessors.h says what is in them.
//
""", HEADER, """#ifndef KINFORMER_INTERNAL_FACTORY_GROUPS_H_
#define KINFORMER_INTERNAL_FACTORY_GROUPS_H_

namespace kinformer::accessors {

"""]
    out += [f"class {group};\n" for group in groups]
    out.append("""
// Of SharedInformerFactory and nothing else.
class Groups {
 public:
""")
    out += [f"  [[nodiscard]] accessors::{group} {group}();\n" for group in groups]
    out.append("""
 protected:
  Groups() = default;
  ~Groups() = default;
  Groups(Groups&&) = default;
  Groups& operator=(Groups&&) = default;
};

}  // namespace kinformer::accessors

#endif  // KINFORMER_INTERNAL_FACTORY_GROUPS_H_
""")
    return "".join(out)


def header(schema):
    groups = groups_of(schema)
    out = ["""// kinformer/factory_accessors.h
//
// Go's way to an informer or lister of a built-in kind:
//
//   SharedInformer<corev1::Pod> pods = factory.Core().V1().Pods().Informer();
//   Lister<appsv1::Deployment> deployments = factory.Apps().V1().Deployments().Lister();
//
// The names are those of client-go's informers packages; kinformer/listers/ has those of its
// listers. The kinds are only declared here: a program
// includes the headers of the groups whose Informer() or Lister() it calls, and pays for no others.
//
""", HEADER, """#ifndef KINFORMER_FACTORY_ACCESSORS_H_
#define KINFORMER_FACTORY_ACCESSORS_H_

#include <utility>

#include "kinformer/cache/shared_informer_factory.h"

namespace kinformer {

"""]
    for versions in groups.values():
        for package, kinds in versions.values():
            out.append(f"namespace {package.alias} {{\n")
            out += [f"class {kind};\n" for _, kind in kinds]
            out.append(f"}}  // namespace {package.alias}\n")
    out.append("""
namespace accessors {

// One kind. Refers to its factory: use it within the expression. Counterpart: the generated
// PodInformer and its kin.
template <class T>
class Kind {
 public:
  explicit Kind(SharedInformerFactory& factory) : factory_(factory) {}
  // Templates, so that T need be complete only where they are called.
  template <class U = T>
  [[nodiscard]] SharedInformer<U> Informer(InformerOptions<U> options = {}) const {
    return factory_.InformerFor<U>(std::move(options));
  }
  template <class U = T>
  [[nodiscard]] kinformer::Lister<U> Lister() const {
    return Informer<U>().lister();
  }

 private:
  SharedInformerFactory& factory_;
};

// A step of the path from the factory to a kind. The last ones are templates so that a program that
// names a few kinds does not pay for the others.
class Step {
 public:
  explicit Step(SharedInformerFactory& factory) : factory_(factory) {}

 protected:
  SharedInformerFactory& factory_;
};

""")
    for group, versions in groups.items():
        for version, (package, kinds) in versions.items():
            out.append(f"class {group}{version} : public Step {{\n public:\n  using Step::Step;\n")
            for method, kind in kinds:
                out.append(f"  template <class K = Kind<{package.alias}::{kind}>>\n"
                           f"  [[nodiscard]] K {method}() const {{\n"
                           f"    return K(factory_);\n  }}\n")
            out.append("};\n")
        out.append(f"class {group} : public Step {{\n public:\n  using Step::Step;\n")
        out += [f"  [[nodiscard]] {group}{version} {version}() const "
                f"{{ return {group}{version}(factory_); }}\n" for version in versions]
        out.append("};\n\n")
    for group in groups:
        out.append(f"inline accessors::{group} Groups::{group}() {{\n"
                   f"  return accessors::{group}("
                   "static_cast<SharedInformerFactory&>(*this));\n}\n")
    out.append("""
}  // namespace accessors

// The names of Go's informers packages.
""")
    for versions in groups.values():
        for package, kinds in versions.values():
            out.append(f"namespace {package.alias} {{\n")
            out += [f"using {kind}Informer = accessors::Kind<{kind}>;\n" for _, kind in kinds]
            out.append(f"}}  // namespace {package.alias}\n")
    out.append("""
}  // namespace kinformer

#endif  // KINFORMER_FACTORY_ACCESSORS_H_
""")
    return "".join(out)


def lister_headers(schema):
    """{name below kinformer/: text}: the names of Go's listers packages, for each version."""
    out = {}
    namespaced = {r.kind for r in schema.resources if r.namespaced}
    for versions in groups_of(schema).values():
        for package, kinds in versions.values():
            alias = package.alias
            guard = f"KINFORMER_LISTERS_{alias.upper()}_H_"
            names = "".join(
                f"using {kind}Lister = kinformer::Lister<{kind}>;\n" +
                f"using {kind}NamespaceLister = kinformer::NamespaceLister<{kind}>;\n" *
                ((package.group, package.version, kind) in namespaced) for _, kind in kinds)
            out[f"listers/{alias}.h"] = (
                f"// kinformer/listers/{alias}.h\n//\n"
                "// The listers of a group's version by the names of client-go's listers packages."
                f"\n//\n{HEADER}#ifndef {guard}\n#define {guard}\n\n"
                f'#include "kinformer/api/{alias}.h"\n#include "kinformer/cache/lister.h"\n\n'
                f"namespace kinformer::{alias} {{\n\n{names}\n}}  // namespace kinformer::{alias}\n"
                f"\n#endif  // {guard}\n")
    return out

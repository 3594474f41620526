"""Emits Go's way from a client to the verbs of a resource: clientset.CoreV1().Pods("default")."""

from accessors import group_and_version, plural
from descriptors import HEADER
from views import views_of

_VERBS = {"create": "NoCreate", "update": "NoUpdate", "patch": "NoPatch", "delete": "NoDelete",
          "deletecollection": "NoDeleteCollection", "get": "NoGet", "list": "NoList",
          "watch": "NoWatch"}
# Subresources with methods of their own; "status" has those of every client, and what is missing
# here is reached otherwise: streams by ExecIn, PortForwarder and so on, the rest by RESTClient().
PARTS = {"scale": "ScaleVerbs", "eviction": "EvictionVerb", "binding": "BindingVerb",
         "token": "TokenVerb", "approval": "ApprovalVerb",
         "ephemeralcontainers": "EphemeralContainersVerb", "resize": "ResizeVerb",
         "finalize": "FinalizeVerb", "log": "LogVerb", "proxy": "ProxyVerb"}
# Go's clients have no method for this proxy.
_WITHOUT = {("", "nodes", "proxy")}
# Groups whose kinds a client asks for only, as their name says.
_ASKED = ("authentication", "authorization")
_METRICS = ("metrics",)
# Methods of a version's class for what is no resource: the header of what they give out, and they.
_MORE = {"policyv1": ("kinformer/internal/eviction_interface.h", """\
  // Needs api/corev1.h.
  template <class I = EvictionInterface>
  [[nodiscard]] I Evictions(std::string namespace_) const {
    return I(client_, std::move(namespace_));
  }
""")}


class Kind:
    """A resource as a clientset has it: `method` of the version's class, `lacks` and `parts`."""

    def __init__(self, package, message, resource, name):
        self.kind = message.name
        self.resource = resource
        verbs, status = resource.verbs, "status" in [s.name for s in resource.subresources]
        if not resource.served:
            # What Go's own generator does where no server of the import says more.
            status = any(f.name == "status" for f in message.fields)
            if name in _METRICS:
                verbs, status = ["get", "list", "watch"], False
            elif message.name + "List" not in package.messages:
                verbs, status = ["create"], False
        self.method = (message.name + "es" if name in _METRICS
                       else plural(message.name, resource.name))
        self.lacks = [no for verb, no in _VERBS.items() if verb not in verbs]
        if not status or "patch" not in verbs:
            self.lacks.append("NoStatus")
        self.parts = [PARTS[s.name] for s in resource.subresources if s.name in PARTS and
                      (resource.group, resource.name, s.name) not in _WITHOUT]


def versions_of(schema):
    """[(method of the clientset, package, [Kind])], in the order of their names."""
    resources = {r.kind: r for r in schema.resources}
    found = []
    for package in schema.packages.values():
        if package.alias.startswith("metav1"):
            continue
        name, group, version = group_and_version(package)
        kinds = []
        for message in views_of(package):
            resource = resources.get((package.group, package.version, message.name))
            # An object that is neither stored nor asked for is sent to other places.
            if not message.is_object or resource is None or not (
                    resource.served or name in _ASKED or
                    message.name + "List" in package.messages):
                continue
            kinds.append(Kind(package, message, resource, name))
        if kinds:
            found.append((group + version, package, sorted(kinds, key=lambda k: k.method)))
    return sorted(found, key=lambda v: v[0])


def versions_header(schema):
    versions = versions_of(schema)
    out = ["""// kinformer/internal/clientset_versions.h
//
// The versions of groups that Clientset names; the headers in kinformer/clientset/ say what is in
// them.
//
""", HEADER, """#ifndef KINFORMER_INTERNAL_CLIENTSET_VERSIONS_H_
#define KINFORMER_INTERNAL_CLIENTSET_VERSIONS_H_

#include "kinformer/internal/clientset_base.h"

namespace kinformer {

"""]
    for method, package, _ in versions:
        out.append(f"namespace {package.alias} {{\nclass {method}Interface;\n}}\n")
    out.append("""
namespace internal {

// Of Clientset and nothing else. Templates, so that a program pays for what it calls.
class ClientsetVersions : public ClientsetBase {
 public:
""")
    for method, package, _ in versions:
        out.append(f"  template <class V = {package.alias}::{method}Interface>\n"
                   f"  [[nodiscard]] auto {method}() const {{\n"
                   "    static_assert(HasClientsetHeader<V>,\n"
                   f'                  "{method}() needs its header: "\n'
                   f'                  "#include \\"kinformer/clientset/{package.alias}.h\\"");\n'
                   "    if constexpr (HasClientsetHeader<V>) return V(client_);\n  }\n")
    out.append("""
 protected:
  using ClientsetBase::ClientsetBase;
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_CLIENTSET_VERSIONS_H_
""")
    return "".join(out)


def header(method, package, kinds):
    """The header of one version."""
    guard = f"KINFORMER_CLIENTSET_{package.alias.upper()}_H_"
    gv = f"{package.group}/{package.version}" if package.group else package.version
    more_header, more = _MORE.get(package.alias, ("", ""))
    includes = sorted([f"kinformer/api/{package.alias}.h", "kinformer/client/clientset.h",
                       "kinformer/client/typed_client.h", "kinformer/internal/clientset_base.h",
                       "kinformer/internal/verb_list.h"] + [more_header] * bool(more_header))
    out = [f"// kinformer/clientset/{package.alias}.h\n//\n"
           f"// {method}() of a Clientset: the resources of {gv}, each with the verbs that the API "
           "has for it.\n//\n", HEADER,
           f"#ifndef {guard}\n#define {guard}\n\n#include <string>\n#include <utility>\n\n"
           + "".join(f'#include "{i}"\n' for i in includes) +
           f"\nnamespace kinformer::{package.alias} {{\n\n"]
    for k in kinds:
        verbs = ", ".join(f"internal::{v}" for v in k.parts + k.lacks)
        out.append(f"struct {k.kind}Verbs {{\n  using List = internal::VerbList<{verbs}>;\n}};\n"
                   f"{k.kind}Verbs VerbsOf(const {k.kind}* kind);\n"
                   f"using {k.kind}Interface = TypedClient<{k.kind}, {k.kind}Verbs>;\n\n")
    out.append("// Its methods are templates so that a program pays for the kinds that it names.\n"
               f"class {method}Interface : public internal::VersionInterface {{\n public:\n"
               "  using VersionInterface::VersionInterface;\n")
    for k in kinds:
        namespaced = k.resource.namespaced
        out.append(f"  template <class I = {k.kind}Interface>\n"
                   f"  [[nodiscard]] I {k.method}({'std::string namespace_' * namespaced}) const "
                   f"{{\n    return I(client_, "
                   f"{'std::move(namespace_)' if namespaced else chr(34) * 2});\n  }}\n")
    out.append(more)
    out.append("  // Needs rest_request.h.\n  template <class R = RestClient>\n"
               "  [[nodiscard]] auto RESTClient() const {\n"
               f'    return RestClientFor<R>("{package.group}", "{package.version}");\n  }}\n'
               f"}};\n\n}}  // namespace kinformer::{package.alias}\n\n#endif  // {guard}\n")
    return "".join(out)


def all_header(versions):
    """All versions."""
    lines = "".join(f'#include "kinformer/clientset/{p.alias}.h"\n' for p in
                    sorted((p for _, p, _ in versions), key=lambda p: p.alias))
    return ("// kinformer/clientset/all.h\n//\n// A Clientset with all versions of all groups.\n"
            f"//\n{HEADER}#ifndef KINFORMER_CLIENTSET_ALL_H_\n#define KINFORMER_CLIENTSET_ALL_H_\n"
            f"\n{lines}\n#endif  // KINFORMER_CLIENTSET_ALL_H_\n")


def inventory(versions):
    """What a test compares with discovery: CLIENTSET_RESOURCE(namespace, version's method, method,
    kind, group, version, resource, whether it has namespaces)."""
    return HEADER + "".join(
        f'CLIENTSET_RESOURCE({p.alias}, {method}, {k.method}, {k.kind}, "{p.group}", '
        f'"{p.version}", "{k.resource.name}", '
        f'{"NAMESPACED" if k.resource.namespaced else "CLUSTER"})\n'
        for method, p, kinds in versions for k in kinds)

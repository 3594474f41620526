"""Emits builders of what a server-side apply sends, with client-go's names: Pod("web-0",
"default").WithLabels(...).WithSpec(PodSpec().WithNodeName("n"))."""

from cppnames import identifier
from descriptors import HEADER
from mutables import struct_name, structs_of

# Words that Go writes in upper case, where the API's name of a field begins with them: a whole
# name, or the first letters of longer ones.
_UPPER = """apiGroup apiGroups apiServerID apiVersion apiVersions aws caBundle cel cidr cidrs csi
dns fc fsGroup fsType gce gid gmsa grpc http ip ips iqn iscsi jsonPatch nfs os osImage pdName pkix
qosClass rbd seLinux sslEnabled tcpSocket tls ttl tty uid url wwids""".split()
_LETTERS = {"apiGroup": 3, "apiGroups": 3, "apiServerID": 3, "apiVersion": 3, "apiVersions": 3,
            "caBundle": 2, "fsGroup": 2, "fsType": 2, "jsonPatch": 4, "osImage": 2, "pdName": 2,
            "qosClass": 3, "seLinux": 2, "sslEnabled": 3, "tcpSocket": 3}
_SPELLED = {"cephfs": "CephFS", "cidrs": "CIDRs", "ips": "IPs", "storageos": "StorageOS",
            "wwids": "WWIDs"}
# Fields whose names in Go are others than in JSON, by the end of the message's name.
_RENAMED = {
    "DeviceAttribute": {n: n.rstrip("s").capitalize() + "Value" + "s" * n.endswith("s") for n in (
        "bool", "bools", "int", "ints", "string", "strings", "version", "versions")},
    "ISCSIPersistentVolumeSource": {"chapAuthDiscovery": "DiscoveryCHAPAuth",
                                    "chapAuthSession": "SessionCHAPAuth"},
    "ISCSIVolumeSource": {"chapAuthDiscovery": "DiscoveryCHAPAuth",
                          "chapAuthSession": "SessionCHAPAuth"},
    "AzureDiskVolumeSource": {"diskURI": "DataDiskURI"},
    "GlusterfsPersistentVolumeSource": {"endpoints": "EndpointsName"},
    "GlusterfsVolumeSource": {"endpoints": "EndpointsName"},
    "NodeSpec": {"externalID": "DoNotUseExternalID"},
    "RBDPersistentVolumeSource": {"image": "RBDImage", "monitors": "CephMonitors",
                                  "pool": "RBDPool", "user": "RadosUser"},
    "RBDVolumeSource": {"image": "RBDImage", "monitors": "CephMonitors", "pool": "RBDPool",
                        "user": "RadosUser"},
    "ContainerStatus": {"lastState": "LastTerminationState"},
    "Event": {"reportingComponent": "ReportingController"},
    "PodSpec": {"serviceAccount": "DeprecatedServiceAccount"},
}


def go_name(message, field):
    """The field's name in Go: "HostIP" of hostIP, "APIGroup" of apiGroup."""
    renamed = _RENAMED.get(message.name, {}).get(field)
    if renamed:
        return renamed
    if field in _SPELLED:
        return _SPELLED[field]
    for word in _UPPER:
        letters = _LETTERS.get(word, len(word))
        if field == word or (field.startswith(word) and field[len(word)].isupper()):
            return field[:letters].upper() + field[letters:]
    word = identifier(field) if not field[0].isalpha() else field
    word = "".join(part[:1].upper() + part[1:] for part in word.split("-"))
    return word[0].upper() + word[1:]


def _fields(message):
    """The fields, those of inlined messages included: (the message that Go has it in, field)."""
    for f in message.fields:
        if f.inlined:
            yield from _fields(f.message)
        else:
            yield message, f


def _has_metadata(message):
    return any(f.name == "metadata" and f.message and f.message.name == "ObjectMeta"
               for f in message.fields)


def packages_of(schema, versions):
    """The packages that have builders: what can be applied, and what that is made of."""
    wanted = [p for _, p, kinds in versions if any("NoPatch" not in k.lacks for k in kinds)]
    found = {}
    while wanted:
        package = wanted.pop()
        if package.alias not in found:
            found[package.alias] = package
            wanted += [f.message.package for m in structs_of(package) for f in m.fields
                       if f.message]
    return [found[alias] for alias in sorted(found)]


def _method(self, struct, message, f):
    name, member = go_name(message, f.name), identifier(f.name)
    if f.map:
        return (f"  template <class V = decltype({struct}::{member})>\n"
                f"  {self}& With{name}(const V& given) {{\n"
                f"    for (const auto& one : given) this->{member}[one.first] = one.second;\n"
                "    return *this;\n  }\n")
    if f.repeated:
        return (f"  template <class... V>\n  {self}& With{name}(const V&... given) {{\n"
                f"    (this->{member}.push_back(given), ...);\n    return *this;\n  }}\n")
    return (f"  template <class V = decltype({struct}::{member})>\n"
            f"  {self}& With{name}(V&& given) {{\n"
            f"    internal::SetField(this->{member}, std::forward<V>(given));\n"
            "    return *this;\n  }\n")


def _extractors(package, resource):
    """Functions that make a builder of what a manager has applied."""
    kind = resource.kind[2]
    empty = ", ".join(["std::string()"] * (1 + resource.namespaced))
    out = []
    for what, more, subresource in (
            ("From", ", std::string_view subresource", "subresource"), ("", "", '""'),
            ("Status", "", '"status"')):
        if what != "Status" or "status" in [s.name for s in resource.subresources]:
            out.append(f"template <class O = ::kinformer::{package.alias}::{kind}>\n"
                       f"[[nodiscard]] Result<{kind}> Extract{kind}{what}(\n"
                       "    const std::type_identity_t<O>& live, std::string_view field_manager"
                       f"{more}) {{\n  return internal::Extracted({kind}({empty}), live, "
                       f"field_manager, {subresource});\n}}\n")
    return "".join(out) + "\n"


def header(schema, package):
    alias = package.alias
    guard = f"KINFORMER_APPLYCONFIG_{alias.upper()}_H_"
    gv = f"{package.group}/{package.version}" if package.group else package.version
    resources = {r.kind: r for r in schema.resources}
    others = sorted({f.message.package.alias for m in structs_of(package) for f in m.fields
                     if f.message} - {alias})
    out = [f"// kinformer/applyconfig/{alias}.h\n//\n"
           f"// Builders of what a server-side apply sends of the messages of {gv}, with the names "
           "of client-go's\n// applyconfigurations. Each is the struct of the message "
           "(Pod is a corev1::Pod::Mutable), of which an apply sends what is set.\n//\n", HEADER,
           f"#ifndef {guard}\n#define {guard}\n\n#include <string>\n#include <string_view>\n"
           "#include <type_traits>\n#include <utility>\n\n"]
    includes = [f"kinformer/api/{alias}_mutable.h", "kinformer/internal/apply_builder.h",
                *(f"kinformer/applyconfig/{o}.h" for o in others)]
    out += [f'#include "{i}"\n' for i in sorted(includes)]
    applied = [r for m in structs_of(package) if m.is_object
               for r in [resources.get((package.group, package.version, m.name))] if r]
    if applied:
        out.append(f"\nnamespace kinformer::{alias} {{\n" +
                   "".join(f"class {r.kind[2]};\n" for r in applied) +
                   f"}}  // namespace kinformer::{alias}\n")
    out.append(f"\nnamespace kinformer::applyconfig::{alias} {{\n\n")
    for m in structs_of(package):
        struct = f"::kinformer::{struct_name(m)}"
        base = struct
        if _has_metadata(m):
            base = f"internal::MetadataBuilder<{m.name}, {struct}>"
        out.append(f"class {m.name} : public {base} {{\n public:\n")
        resource = resources.get((package.group, package.version, m.name)) if m.is_object else None
        if resource is not None and resource.namespaced:
            out.append(f"  {m.name}(std::string name, std::string namespace_) {{\n"
                       "    this->metadata.name = std::move(name);\n"
                       "    this->metadata.namespace_ = std::move(namespace_);\n  }\n")
        elif resource is not None:
            out.append(f"  explicit {m.name}(std::string name) "
                       "{ this->metadata.name = std::move(name); }\n")
        for owner, f in _fields(m):
            if not (f.name == "metadata" and _has_metadata(m)):
                out.append(_method(m.name, struct, owner, f))
        out.append("};\n\n")
    if applied:
        out.append("// Each returns a builder of what `field_manager` has applied of the object, "
                   "as managedfields::Extract\n"
                   "// says it (kinformer/client/managedfields.h).\n")
        out += [_extractors(package, r) for r in applied]
    out.append(f"}}  // namespace kinformer::applyconfig::{alias}\n\n#endif  // {guard}\n")
    return "".join(out)

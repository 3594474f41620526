#include "apiserver/plugins/pod_security_checks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using json::Value;
using Names = std::vector<std::string>;
using Found = std::optional<PodSecurityViolation>;

// ---- Texts

std::string Quoted(const auto& items) {
  std::string text;
  for (const std::string& item : items) text.append(text.empty() ? "\"" : ", \"") += item + '"';
  return text;
}

std::string Joined(const auto& items, std::string_view separator = ", ") {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

std::string Plural(std::size_t count, std::string_view one) {
  return std::string(one) + (count == 1 ? "" : "s");
}

std::string Containers(const auto& names) {
  return Plural(names.size(), "container") + " " + Quoted(names);
}

// Returns `pod and containers "a", "b"`; empty if it is neither.
std::string Setters(bool pod, const Names& containers) {
  Names setters;
  if (pod) setters.emplace_back("pod");
  if (!containers.empty()) setters.push_back(Containers(containers));
  return Joined(setters, " and ");
}

// ---- What is checked

// A pod, checked by the standards of a version.
struct Pod {
  const Value& metadata;
  const Value& spec;
  int minor;

  template <class Visit>
  void EachContainer(const Visit& visit) const {
    for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
      for (const Value& container : spec[list].items()) visit(container);
    }
  }
  // Returns the names of the containers for which it is true.
  template <class Predicate>
  [[nodiscard]] Names Where(const Predicate& is) const {
    Names names;
    EachContainer([&](const Value& container) {
      if (is(container)) names.push_back(container["name"].StringOrEmpty());
    });
    return names;
  }
  [[nodiscard]] bool OnWindows() const { return spec.At("/os/name").StringOrEmpty() == "windows"; }
  [[nodiscard]] bool InUserNamespace() const { return !spec["hostUsers"].AsBool().value_or(true); }
};

const Value& Context(const Value& of) { return of["securityContext"]; }

// ---- Baseline

Found AppArmorProfile(const Pod& pod) {
  std::set<std::string> bad;
  const auto is_bad = [&](const Value& of) {
    const Value& profile = Context(of)["appArmorProfile"];
    if (profile.is_null()) return false;
    const std::string& type = profile["type"].StringOrEmpty();
    if (type == "RuntimeDefault" || type == "Localhost") return false;
    bad.insert(type);
    return true;
  };
  const bool pod_sets = is_bad(pod.spec);
  std::string setters = Setters(pod_sets, pod.Where(is_bad));
  Names values(bad.begin(), bad.end());
  std::set<std::string> annotations;
  for (const auto& [key, value] : pod.metadata["annotations"].members()) {
    const std::string& profile = value.StringOrEmpty();
    if (!key.starts_with("container.apparmor.security.beta.kubernetes.io/") || profile.empty() ||
        profile == "runtime/default" || profile.starts_with("localhost/")) {
      continue;
    }
    annotations.insert(key + "=" + JsonString(profile));
  }
  if (!annotations.empty()) {
    values.insert(values.end(), annotations.begin(), annotations.end());
    setters += (setters.empty() ? "" : " and ") + Plural(annotations.size(), "annotation");
  }
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{Plural(values.size(), "forbidden AppArmor profile"),
                              setters + " must not set AppArmor profile type to " + Quoted(values)};
}

Found CapabilitiesBaseline(const Pod& pod) {
  constexpr auto kAllowed = std::to_array<std::string_view>(
      {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
       "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"});
  std::set<std::string> bad;
  const Names containers = pod.Where([&](const Value& container) {
    bool adds = false;
    for (const Value& added : Context(container)["capabilities"]["add"].items()) {
      const std::string& name = added.StringOrEmpty();
      if (std::find(kAllowed.begin(), kAllowed.end(), name) != kAllowed.end()) continue;
      bad.insert(name);
      adds = true;
    }
    return adds;
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{"non-default capabilities",
                              Containers(containers) + " must not include " + Quoted(bad) +
                                  " in securityContext.capabilities.add"};
}

Found HostNamespaces(const Pod& pod) {
  Names used;
  for (const char* name : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (pod.spec[name].AsBool().value_or(false)) used.push_back(std::string(name) + "=true");
  }
  if (used.empty()) return std::nullopt;
  return PodSecurityViolation{"host namespaces", Joined(used)};
}

Found HostPathVolumes(const Pod& pod) {
  Names volumes;
  for (const Value& volume : pod.spec["volumes"].items()) {
    if (!volume["hostPath"].is_null()) volumes.push_back(volume["name"].StringOrEmpty());
  }
  if (volumes.empty()) return std::nullopt;
  return PodSecurityViolation{"hostPath volumes",
                              Plural(volumes.size(), "volume") + " " + Quoted(volumes)};
}

Found HostPorts(const Pod& pod) {
  std::set<std::string> ports;
  const Names containers = pod.Where([&](const Value& container) {
    bool uses = false;
    for (const Value& port : container["ports"].items()) {
      const std::int64_t number = port["hostPort"].AsInt64().value_or(0);
      if (number == 0) continue;
      ports.insert(std::to_string(number));
      uses = true;
    }
    return uses;
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "hostPort", Containers(containers) + (containers.size() == 1 ? " uses " : " use ") +
                      Plural(ports.size(), "hostPort") + " " + Joined(ports)};
}

Found HostOfProbes(const Pod& pod) {
  std::set<std::string> hosts;
  std::set<std::string> containers;
  const auto look = [&](const Value& container, const Value& handler) {
    for (const char* kind : {"httpGet", "tcpSocket"}) {
      const std::string& host = handler[kind]["host"].StringOrEmpty();
      if (host.empty()) continue;
      hosts.insert(host);
      containers.insert(container["name"].StringOrEmpty());
    }
  };
  pod.EachContainer([&](const Value& container) {
    for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      look(container, container[probe]);
    }
    for (const char* hook : {"postStart", "preStop"}) look(container, container["lifecycle"][hook]);
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "probe or lifecycle host",
      Containers(containers) + (containers.size() == 1 ? " uses " : " use ") +
          Plural(hosts.size(), "probe or lifecycle host") + " " + Quoted(hosts)};
}

Found Privileged(const Pod& pod) {
  const Names containers = pod.Where([](const Value& container) {
    return Context(container)["privileged"].AsBool().value_or(false);
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "privileged", Containers(containers) + " must not set securityContext.privileged=true"};
}

Found ProcMountEverywhere(const Pod& pod) {
  std::set<std::string> bad;
  const Names containers = pod.Where([&](const Value& container) {
    const Value& type = Context(container)["procMount"];
    if (type.is_null() || type.StringOrEmpty() == "Default") return false;
    bad.insert(type.StringOrEmpty());
    return true;
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "procMount",
      Containers(containers) + " must not set securityContext.procMount to " + Quoted(bad)};
}

// The version in which what happens in a user namespace became the pod's own business.
constexpr int kUserNamespaces = 35;

Found ProcMount(const Pod& pod) {
  if (pod.minor >= kUserNamespaces && pod.InUserNamespace()) return std::nullopt;
  return ProcMountEverywhere(pod);
}

Found SELinuxOptions(const Pod& pod) {
  constexpr int kEngine = 31;
  std::set<std::string> types;
  bool user = false;
  bool role = false;
  const auto is_bad = [&](const Value& of) {
    const Value& options = Context(of)["seLinuxOptions"];
    const std::string& type = options["type"].StringOrEmpty();
    const bool known = type.empty() || type == "container_t" || type == "container_init_t" ||
                       type == "container_kvm_t" ||
                       (pod.minor >= kEngine && type == "container_engine_t");
    if (!known) types.insert(type);
    const bool sets_user = !options["user"].StringOrEmpty().empty();
    const bool sets_role = !options["role"].StringOrEmpty().empty();
    user = user || sets_user;
    role = role || sets_role;
    return !known || sets_user || sets_role;
  };
  const bool pod_sets = is_bad(pod.spec);
  const std::string setters = Setters(pod_sets, pod.Where(is_bad));
  if (setters.empty()) return std::nullopt;
  Names what;
  if (!types.empty()) what.push_back(Plural(types.size(), "type") + " " + Quoted(types));
  if (user) what.emplace_back("user may not be set");
  if (role) what.emplace_back("role may not be set");
  return PodSecurityViolation{
      "seLinuxOptions",
      setters + " set forbidden securityContext.seLinuxOptions: " + Joined(what, "; ")};
}

// The version in which seccomp profiles became fields.
constexpr int kSeccompFields = 19;

Found SeccompAnnotations(const Pod& pod) {
  std::set<std::string> forbidden;
  const auto look = [&](const std::string& key) {
    const Value* const value = pod.metadata["annotations"].Find(key);
    if (value == nullptr) return;
    const std::string& profile = value->StringOrEmpty();
    if (profile == "runtime/default" || profile == "docker/default" ||
        profile.starts_with("localhost/")) {
      return;
    }
    forbidden.insert(key + "=" + JsonString(profile));
  };
  look("seccomp.security.alpha.kubernetes.io/pod");
  pod.EachContainer([&](const Value& container) {
    look("container.seccomp.security.alpha.kubernetes.io/" + container["name"].StringOrEmpty());
  });
  if (forbidden.empty()) return std::nullopt;
  return PodSecurityViolation{
      "seccompProfile",
      "forbidden " + Plural(forbidden.size(), "annotation") + " " + Joined(forbidden)};
}

// The seccomp profiles of a pod and its containers.
struct Seccomp {
  explicit Seccomp(const Pod& pod) {
    const auto is_bad = [this](const Value& of) {
      const Value& profile = Context(of)["seccompProfile"];
      const std::string& type = profile["type"].StringOrEmpty();
      if (profile.is_null() || type == "RuntimeDefault" || type == "Localhost") return false;
      bad.insert(type);
      return true;
    };
    const bool pod_sets = is_bad(pod.spec);
    good_pod = !pod_sets && !Context(pod.spec)["seccompProfile"].is_null();
    setters = Setters(pod_sets, pod.Where(is_bad));
  }
  [[nodiscard]] Found Bad() const {
    if (setters.empty()) return std::nullopt;
    return PodSecurityViolation{
        "seccompProfile",
        setters + " must not set securityContext.seccompProfile.type to " + Quoted(bad)};
  }
  std::set<std::string> bad{};
  std::string setters{};
  bool good_pod = false;
};

Found SeccompBaseline(const Pod& pod) {
  return pod.minor < kSeccompFields ? SeccompAnnotations(pod) : Seccomp(pod).Bad();
}

Found Sysctls(const Pod& pod) {
  constexpr auto kAllowed =
      std::to_array<std::pair<std::string_view, int>>({{"kernel.shm_rmid_forced", 0},
                                                       {"net.ipv4.ip_local_port_range", 0},
                                                       {"net.ipv4.tcp_syncookies", 0},
                                                       {"net.ipv4.ping_group_range", 0},
                                                       {"net.ipv4.ip_unprivileged_port_start", 0},
                                                       {"net.ipv4.ip_local_reserved_ports", 27},
                                                       {"net.ipv4.tcp_keepalive_time", 29},
                                                       {"net.ipv4.tcp_fin_timeout", 29},
                                                       {"net.ipv4.tcp_keepalive_intvl", 29},
                                                       {"net.ipv4.tcp_keepalive_probes", 29},
                                                       {"net.ipv4.tcp_rmem", 32},
                                                       {"net.ipv4.tcp_wmem", 32},
                                                       {"net.ipv4.tcp_slow_start_after_idle", 37},
                                                       {"net.ipv4.tcp_notsent_lowat", 37}});
  Names forbidden;
  for (const Value& sysctl : Context(pod.spec)["sysctls"].items()) {
    const std::string& name = sysctl["name"].StringOrEmpty();
    const bool allowed = std::any_of(kAllowed.begin(), kAllowed.end(), [&](const auto& one) {
      return one.first == name && one.second <= pod.minor;
    });
    if (!allowed) forbidden.push_back(name);
  }
  if (forbidden.empty()) return std::nullopt;
  return PodSecurityViolation{"forbidden sysctls", Joined(forbidden)};
}

Found WindowsHostProcess(const Pod& pod) {
  const auto is_bad = [](const Value& of) {
    return Context(of)["windowsOptions"]["hostProcess"].AsBool().value_or(false);
  };
  const std::string setters = Setters(is_bad(pod.spec), pod.Where(is_bad));
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{
      "hostProcess", setters + " must not set securityContext.windowsOptions.hostProcess=true"};
}

// ---- Restricted

// The version since which pods for Windows need not set what it does not have.
constexpr int kWindows = 25;

Found AllowPrivilegeEscalation(const Pod& pod) {
  if (pod.minor >= kWindows && pod.OnWindows()) return std::nullopt;
  const Names containers = pod.Where([](const Value& container) {
    return Context(container)["allowPrivilegeEscalation"].AsBool().value_or(true);
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "allowPrivilegeEscalation != false",
      Containers(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Found CapabilitiesRestricted(const Pod& pod) {
  if (pod.minor >= kWindows && pod.OnWindows()) return std::nullopt;
  const Names keeping = pod.Where([](const Value& container) {
    const json::Array& dropped = Context(container)["capabilities"]["drop"].items();
    return std::none_of(dropped.begin(), dropped.end(),
                        [](const Value& name) { return name.StringOrEmpty() == "ALL"; });
  });
  std::set<std::string> bad;
  const Names adding = pod.Where([&](const Value& container) {
    bool adds = false;
    for (const Value& added : Context(container)["capabilities"]["add"].items()) {
      if (added.StringOrEmpty() == "NET_BIND_SERVICE") continue;
      bad.insert(added.StringOrEmpty());
      adds = true;
    }
    return adds;
  });
  Names details;
  if (!keeping.empty()) {
    details.push_back(Containers(keeping) +
                      R"( must set securityContext.capabilities.drop=["ALL"])");
  }
  if (!adding.empty()) {
    details.push_back(Containers(adding) + " must not include " + Quoted(bad) +
                      " in securityContext.capabilities.add");
  }
  if (details.empty()) return std::nullopt;
  return PodSecurityViolation{"unrestricted capabilities", Joined(details, "; ")};
}

Found RestrictedVolumes(const Pod& pod) {
  constexpr auto kAllowed =
      std::to_array<const char*>({"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
                                  "image", "persistentVolumeClaim", "projected", "secret"});
  constexpr auto kOthers = std::to_array<const char*>({"hostPath",
                                                       "gcePersistentDisk",
                                                       "awsElasticBlockStore",
                                                       "gitRepo",
                                                       "nfs",
                                                       "iscsi",
                                                       "glusterfs",
                                                       "rbd",
                                                       "flexVolume",
                                                       "cinder",
                                                       "cephfs",
                                                       "flocker",
                                                       "fc",
                                                       "azureFile",
                                                       "vsphereVolume",
                                                       "quobyte",
                                                       "azureDisk",
                                                       "photonPersistentDisk",
                                                       "portworxVolume",
                                                       "scaleIO",
                                                       "storageos"});
  Names volumes;
  std::set<std::string> types;
  for (const Value& volume : pod.spec["volumes"].items()) {
    const auto has = [&](const char* type) { return !volume[type].is_null(); };
    if (std::any_of(kAllowed.begin(), kAllowed.end(), has)) continue;
    volumes.push_back(volume["name"].StringOrEmpty());
    const auto* const type = std::find_if(kOthers.begin(), kOthers.end(), has);
    types.insert(type == kOthers.end() ? "unknown" : *type);
  }
  if (volumes.empty()) return std::nullopt;
  return PodSecurityViolation{"restricted volume types",
                              Plural(volumes.size(), "volume") + " " + Quoted(volumes) +
                                  (volumes.size() == 1 ? " uses " : " use ") +
                                  Plural(types.size(), "restricted volume type") + " " +
                                  Quoted(types)};
}

Found RunAsNonRoot(const Pod& pod) {
  if (pod.minor >= kUserNamespaces && pod.InUserNamespace()) return std::nullopt;
  const auto value = [](const Value& of) { return Context(of)["runAsNonRoot"].AsBool(); };
  const auto of_pod = value(pod.spec);
  const std::string setters =
      Setters(of_pod == false,
              pod.Where([&](const Value& container) { return value(container) == false; }));
  constexpr const char* kReason = "runAsNonRoot != true";
  if (!setters.empty()) {
    return PodSecurityViolation{kReason,
                                setters + " must not set securityContext.runAsNonRoot=false"};
  }
  const Names missing = pod.Where(
      [&](const Value& container) { return !value(container) && !of_pod.value_or(false); });
  if (missing.empty()) return std::nullopt;
  return PodSecurityViolation{
      kReason, "pod or " + Containers(missing) + " must set securityContext.runAsNonRoot=true"};
}

Found RunAsUser(const Pod& pod) {
  if (pod.minor >= kUserNamespaces && pod.InUserNamespace()) return std::nullopt;
  const auto is_root = [](const Value& of) { return Context(of)["runAsUser"].AsInt64() == 0; };
  const std::string setters = Setters(is_root(pod.spec), pod.Where(is_root));
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{"runAsUser=0", setters + " must not set runAsUser=0"};
}

Found SeccompRestricted(const Pod& pod) {
  if (pod.minor >= kWindows && pod.OnWindows()) return std::nullopt;
  const Seccomp profiles(pod);
  if (Found bad = profiles.Bad()) return bad;
  if (profiles.good_pod) return std::nullopt;
  const Names missing = pod.Where(
      [](const Value& container) { return Context(container)["seccompProfile"].is_null(); });
  if (missing.empty()) return std::nullopt;
  return PodSecurityViolation{
      "seccompProfile",
      "pod or " + Containers(missing) +
          R"( must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")"};
}

// ---- All

constexpr int kNever = std::numeric_limits<int>::max();

struct Check {
  Found (*run)(const Pod& pod);
  PodSecurityLevel level;
  int since;  // minor version
  // The version since which the restricted level has a stricter check in place of this one.
  int replaced_since = kNever;
};

constexpr auto kBaseline = PodSecurityLevel::kBaseline;
constexpr auto kRestricted = PodSecurityLevel::kRestricted;
// In the order of messages.
constexpr auto kChecks = std::to_array<Check>({
    {AppArmorProfile, kBaseline, 0},
    {CapabilitiesBaseline, kBaseline, 0, 22},
    {HostNamespaces, kBaseline, 0},
    {HostPathVolumes, kBaseline, 0, 0},
    {HostPorts, kBaseline, 0},
    {HostOfProbes, kBaseline, 34},
    {Privileged, kBaseline, 0},
    {ProcMount, kBaseline, 0, kUserNamespaces},
    {SELinuxOptions, kBaseline, 0},
    {SeccompBaseline, kBaseline, 0, kSeccompFields},
    {Sysctls, kBaseline, 0},
    {WindowsHostProcess, kBaseline, 0},
    {AllowPrivilegeEscalation, kRestricted, 8},
    {CapabilitiesRestricted, kRestricted, 22},
    {ProcMountEverywhere, kRestricted, kUserNamespaces},
    {RestrictedVolumes, kRestricted, 0},
    {RunAsNonRoot, kRestricted, 0},
    {RunAsUser, kRestricted, 23},
    {SeccompRestricted, kRestricted, kSeccompFields},
});

// The version of the latest checks.
constexpr int kNewest = 37;

}  // namespace

std::vector<PodSecurityViolation> CheckPodSecurity(const PodSecurityPolicy& policy,
                                                   const Value& metadata, const Value& spec) {
  std::vector<PodSecurityViolation> violations;
  const bool latest = policy.minor == PodSecurityPolicy::kLatest || policy.minor > kNewest;
  const Pod pod{.metadata = metadata, .spec = spec, .minor = latest ? kNewest : policy.minor};
  for (const Check& check : kChecks) {
    if (check.level > policy.level || check.since > pod.minor) continue;
    if (policy.level == kRestricted && check.replaced_since <= pod.minor) continue;
    if (Found found = check.run(pod)) violations.push_back(*std::move(found));
  }
  return violations;
}

std::string ReasonsOf(const std::vector<PodSecurityViolation>& violations) {
  std::string text;
  for (const PodSecurityViolation& one : violations) {
    text += (text.empty() ? "" : ", ") + one.reason;
  }
  return text;
}

std::string DetailsOf(const std::vector<PodSecurityViolation>& violations) {
  std::string text;
  for (const PodSecurityViolation& one : violations) {
    text += (text.empty() ? "" : ", ") + one.reason;
    if (!one.detail.empty()) text += " (" + one.detail + ")";
  }
  return text;
}

}  // namespace kinformer::apiserver

#include "apiserver/authorization/bootstrap_policy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "apiserver/authorization/policy_rule.h"
#include "apiserver/authorization/rbac_policy.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

struct NamespacedRole {
  std::string_view namespace_;
  std::string_view name;
  std::string_view rules;
};
constexpr NamespacedRole kNamespacedRoles[] = {
    {"kube-public", "system:controller:bootstrap-signer",
     "read core configmaps;update core configmaps cluster-info;create,patch,"
     "update core,events.k8s.io events"},
    {"kube-system", "extension-apiserver-authentication-reader",
     "read core configmaps extension-apiserver-authentication"},
    {"kube-system", "system::leader-locking-kube-controller-manager",
     "create,get,list,update,watch coordination.k8s.io leases;create,get,list,update,"
     "watch coordination.k8s.io leasecandidates"},
    {"kube-system", "system::leader-locking-kube-scheduler",
     "create,get,list,update,watch coordination.k8s.io leases;create,get,list,update,"
     "watch coordination.k8s.io leasecandidates"},
    {"kube-system", "system:controller:bootstrap-signer", "read core secrets"},
    {"kube-system", "system:controller:cloud-provider", "create,get,list,watch core configmaps"},
    {"kube-system", "system:controller:token-cleaner",
     "delete,get,list,watch core secrets;create,patch,update core,"
     "events.k8s.io events"},
};

// subjects: "Group name", "User name", "ServiceAccount namespace/name", separated by commas.
struct BindingRow {
  std::string_view namespace_;  // empty: a ClusterRoleBinding
  std::string_view name;
  std::string_view role;
  std::string_view subjects;
};
constexpr BindingRow kBindings[] = {
    {"", "cluster-admin", "cluster-admin", "Group system:masters"},
    {"", "system:basic-user", "system:basic-user", "Group system:authenticated"},
    {"", "system:cluster-trust-bundle-discovery", "system:cluster-trust-bundle-discovery",
     "Group system:serviceaccounts"},
    {"", "system:discovery", "system:discovery", "Group system:authenticated"},
    {"", "system:kube-controller-manager", "system:kube-controller-manager",
     "User system:kube-controller-manager"},
    {"", "system:kube-dns", "system:kube-dns", "ServiceAccount kube-system/kube-dns"},
    {"", "system:kube-scheduler", "system:kube-scheduler", "User system:kube-scheduler"},
    {"", "system:monitoring", "system:monitoring", "Group system:monitoring"},
    {"", "system:node", "system:node", ""},
    {"", "system:node-proxier", "system:node-proxier", "User system:kube-proxy"},
    {"", "system:public-info-viewer", "system:public-info-viewer",
     "Group system:authenticated,Group system:unauthenticated"},
    {"", "system:service-account-issuer-discovery", "system:service-account-issuer-discovery",
     "Group system:serviceaccounts"},
    {"", "system:volume-scheduler", "system:volume-scheduler", "User system:kube-scheduler"},
    {"kube-public", "system:controller:bootstrap-signer", "system:controller:bootstrap-signer",
     "ServiceAccount kube-system/bootstrap-signer"},
    {"kube-system", "system::extension-apiserver-authentication-reader",
     "extension-apiserver-authentication-reader",
     "User system:kube-controller-manager,User system:kube-scheduler"},
    {"kube-system", "system::leader-locking-kube-controller-manager",
     "system::leader-locking-kube-controller-manager",
     "User system:kube-controller-manager,ServiceAccount "
     "kube-system/kube-controller-manager,ServiceAccount kube-system/leader-election-controller"},
    {"kube-system", "system::leader-locking-kube-scheduler",
     "system::leader-locking-kube-scheduler",
     "User system:kube-scheduler,ServiceAccount kube-system/kube-scheduler"},
    {"kube-system", "system:controller:bootstrap-signer", "system:controller:bootstrap-signer",
     "ServiceAccount kube-system/bootstrap-signer"},
    {"kube-system", "system:controller:cloud-provider", "system:controller:cloud-provider",
     "ServiceAccount kube-system/cloud-provider"},
    {"kube-system", "system:controller:token-cleaner", "system:controller:token-cleaner",
     "ServiceAccount kube-system/token-cleaner"},
};

// Removes and returns the text before the next `separator`.
std::string_view TakePart(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

std::vector<std::string> Words(std::string_view text) {
  if (text == "read") return {"get", "list", "watch"};
  if (text == "write") return {"create", "delete", "deletecollection", "patch", "update"};
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = TakePart(text, ',');
    words.emplace_back(word == "core" ? std::string_view() : word);
  }
  return words;
}

Value Rules(std::string_view text) {
  Value rules = Value::MakeArray();
  while (!text.empty()) {
    std::string_view fields = TakePart(text, ';');
    PolicyRule rule{.verbs = Words(TakePart(fields, ' '))};
    const std::string_view second = TakePart(fields, ' ');
    if (fields.empty()) {
      rule.paths = Words(second);
    } else {
      rule.groups = Words(second);
      rule.resources = Words(TakePart(fields, ' '));
      rule.names = Words(fields);
    }
    rules.Append(ToJson(rule));
  }
  return rules;
}

Value Subjects(std::string_view text) {
  Value subjects = Value::MakeArray();
  while (!text.empty()) {
    std::string_view name = TakePart(text, ',');
    Value subject = Value::MakeObject({{"kind", TakePart(name, ' ')}});
    if (std::as_const(subject)["kind"].StringOrEmpty() == "ServiceAccount") {
      subject.Set("namespace", TakePart(name, '/'));
    } else {
      subject.Set("apiGroup", kRbacGroup);
    }
    subject.Set("name", name);
    subjects.Append(std::move(subject));
  }
  return subjects;
}

Value Named(std::string_view namespace_, std::string_view name) {
  Value metadata = Value::MakeObject({{"name", name}});
  if (!namespace_.empty()) metadata.Set("namespace", namespace_);
  metadata.Set("labels", Value::MakeObject({{"kubernetes.io/bootstrapping", "rbac-defaults"}}));
  metadata.Set("annotations",
               Value::MakeObject({{"rbac.authorization.kubernetes.io/autoupdate", "true"}}));
  return Value::MakeObject({{"metadata", std::move(metadata)}});
}

Value Binding(const BindingRow& row) {
  Value binding = Named(row.namespace_, row.name);
  if (!row.subjects.empty()) binding.Set("subjects", Subjects(row.subjects));
  binding.Set("roleRef",
              Value::MakeObject({{"apiGroup", kRbacGroup},
                                 {"kind", row.namespace_.empty() ? "ClusterRole" : "Role"},
                                 {"name", row.role}}));
  return binding;
}

Value ClusterRole(const BootstrapRole& row) {
  constexpr std::string_view kAggregate = "rbac.authorization.k8s.io/aggregate-to-";
  Value role = Named({}, row.name);
  if (!row.aggregates_to.empty()) {
    role.Ensure("metadata")
        .Ensure("labels")
        .Set(std::string(kAggregate) + std::string(row.aggregates_to), "true");
  }
  role.Set("rules", Rules(row.rules));
  if (!row.rules.empty()) return role;
  Value labels = Value::MakeObject({{std::string(kAggregate) + std::string(row.name), "true"}});
  Value selector = Value::MakeObject({{"matchLabels", std::move(labels)}});
  role.Set("aggregationRule",
           Value::MakeObject({{"clusterRoleSelectors", Value::MakeArray({std::move(selector)})}}));
  return role;
}

}  // namespace

std::vector<PolicyObject> BootstrapPolicy() {
  constexpr std::string_view kController = "system:controller:";
  std::vector<PolicyObject> out;
  for (const BootstrapRole& row : BootstrapRoles()) {
    out.push_back({.resource = "clusterroles", .object = ClusterRole(row)});
  }
  for (const ControllerRole& row : ControllerRoles()) {
    const std::string name = std::string(kController) + std::string(row.name);
    const std::string account = "ServiceAccount kube-system/" + std::string(row.name);
    out.push_back({.resource = "clusterroles",
                   .object = ClusterRole({.name = name, .aggregates_to = {}, .rules = row.rules})});
    out.push_back(
        {.resource = "clusterrolebindings",
         .object = Binding({.namespace_ = {}, .name = name, .role = name, .subjects = account})});
  }
  for (const NamespacedRole& row : kNamespacedRoles) {
    Value role = Named(row.namespace_, row.name);
    role.Set("rules", Rules(row.rules));
    out.push_back({.resource = "roles", .object = std::move(role)});
  }
  for (const BindingRow& row : kBindings) {
    out.push_back({.resource = row.namespace_.empty() ? "clusterrolebindings" : "rolebindings",
                   .object = Binding(row)});
  }
  return out;
}

}  // namespace kinformer::apiserver

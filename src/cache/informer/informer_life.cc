#include "cache/informer/informer_life.h"

#include <string>
#include <utility>

#include "kinformer/base/log.h"

namespace kinformer::internal::cache {
namespace {

std::string Joined(const NamespaceParts::Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

InformerLife::InformerLife(const InformerContext& informer)
    : informer_(informer), cleanup_(informer.env, informer.store) {}

std::unique_ptr<InformerLife> InformerLife::Begin(const InformerContext& informer) {
  auto life = std::make_unique<InformerLife>(informer);
  return life->Begin() ? std::move(life) : nullptr;
}

bool InformerLife::Begin() {
  const NamespaceParts::Names& places = informer_.places;
  if (places.size() > 1) {
    namespaces_ = std::make_unique<NamespaceParts>(informer_, places);
    return true;
  }
  informer_.statuses.SetWhole();
  std::unique_ptr<ListerWatcher> lister_watcher = informer_.owner.NewListerWatcher(
      places.empty() ? "" : *places.begin(), informer_.statuses.Whole());
  if (lister_watcher == nullptr) return false;
  Owner& owner = *this;
  whole_ = std::make_unique<InformerPart>(informer_, owner, std::move(lister_watcher), StorePart(),
                                          InformerCompany());
  whole_->Start();
  return true;
}

void InformerLife::Process() {
  if (whole_ != nullptr) whole_->controller().Process();
  if (namespaces_ != nullptr) namespaces_->Process();
}

void InformerLife::OnPartSynced() { informer_.owner.OnSynced(); }

void InformerLife::OnPartUnsynced() { informer_.owner.OnUnsynced(); }

void InformerLife::OnPartForbidden() {
  const IfForbidden& instead = informer_.settings.if_forbidden;
  if (!informer_.places.empty() || !informer_.namespaced || instead.IsDefault()) return;
  if (std::exchange(falling_back_, true)) return;
  // Later: the stack is inside the part's reflector.
  informer_.env.loop().Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) FallBack();
  });
}

void InformerLife::FallBack() {
  const IfForbidden& instead = informer_.settings.if_forbidden;
  NamespaceParts::Names names(instead.namespaces.begin(), instead.namespaces.end());
  // "" stands for all namespaces, which are forbidden.
  names.erase("");
  std::unique_ptr<ListerWatcher> namespaces;
  if (names.empty()) {
    if (!instead.watch_namespaces) return;
    namespaces = informer_.owner.NewNamespacesListerWatcher();
    if (namespaces == nullptr) return;
  }
  informer_.env.log().Log(LogLevel::kWarning,
                          "listing all namespaces is forbidden; looks at single ones instead",
                          {{"informer", informer_.describe},
                           {"namespaces", names.empty() ? "all that exist" : Joined(names)}});
  whole_.reset();
  namespaces_ = names.empty() ? std::make_unique<NamespaceParts>(informer_, std::move(namespaces))
                              : std::make_unique<NamespaceParts>(informer_, names);
  informer_.observers->Notify();
}

}  // namespace kinformer::internal::cache

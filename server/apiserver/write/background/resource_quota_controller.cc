#include "apiserver/write/background/resource_quota_controller.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Adds what one object uses of the quota, or takes it away.
void Apply(const ServedResource& resource, const Quota& quota, const json::Value& object, bool adds,
           ResourceList& used) {
  if (!quota.Covers(resource, object)) return;
  const ResourceList usage =
      Masked(UsageOf(resource, object), Quota::NamesFor(resource, quota.wanted));
  if (adds) {
    Add(usage, used);
  } else {
    Subtract(usage, used);
  }
}

}  // namespace

void ResourceQuotaController::AfterPut(const ObjectPut& put) {
  Changed(*put.at.resource, put.stored->namespace_(), put.old.get(), put.stored.get());
}

void ResourceQuotaController::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  if (at.resource->Is("", "resourcequotas")) counted_.erase(old->key());
  Changed(*at.resource, old->namespace_(), old.get(), nullptr);
}

void ResourceQuotaController::Changed(const ServedResource& resource, std::string_view namespace_,
                                      const StoredObject* old, const StoredObject* now) {
  if (namespace_.empty() || !IsCounted(resource)) return;
  if (writing_) {
    // Another server's write may be seen meanwhile.
    missed_ = missed_ || state_.shared != nullptr;
    return;
  }
  const auto quotas = state_.resources.FindGroupResource("", "resourcequotas");
  if (quotas->store->size(namespace_) == 0) return;
  const bool is_quota = resource.Is("", "resourcequotas");
  if (old != nullptr && now != nullptr && IsOnlyCounted(resource) && !is_quota) return;
  // Others' text is needed only for what they use.
  const bool parses = !IsOnlyCounted(resource);
  const auto parsed = [&](const StoredObject* object) {
    return object != nullptr && parses ? object->Parse() : json::Value();
  };
  const json::Value before = parsed(old);
  const json::Value after = parsed(now);
  std::vector<StoredObjectPtr> stored;
  quotas->store->Walk(NamespacePrefix(namespace_), {}, state_.resource_version,
                      [&](const StoredObjectPtr& quota) {
                        stored.push_back(quota);
                        return true;
                      });
  for (const StoredObjectPtr& quota : stored) {
    auto found = counted_.find(quota->key());
    if (found == counted_.end() || found->second.stored != quota) {
      // A new or changed one; or an earlier state was restored.
      Counted counted{.quota = Quota(quota->Parse())};
      counted.used = Count(counted.quota, namespace_);
      found = counted_.insert_or_assign(quota->key(), std::move(counted)).first;
    } else if (old == nullptr || now == nullptr || parses) {
      Counted& counted = found->second;
      if (old != nullptr) Apply(resource, counted.quota, before, /*adds=*/false, counted.used);
      if (now != nullptr) Apply(resource, counted.quota, after, /*adds=*/true, counted.used);
    }
    Write(quota, found->second);
  }
  if (std::exchange(missed_, false)) counted_.clear();
}

ResourceList ResourceQuotaController::Count(const Quota& quota, std::string_view namespace_) const {
  ResourceList used;
  for (const auto& resource : state_.resources.all()) {
    if (resource->stored != nullptr || !IsCounted(*resource)) continue;
    const std::vector<std::string> names = Quota::NamesFor(*resource, quota.wanted);
    for (const std::string& name : names) used[name];  // zero
    const std::size_t size = names.empty() ? 0 : resource->store->size(namespace_);
    if (size == 0) continue;
    if (IsOnlyCounted(*resource)) {
      if (!quota.scopes.empty()) continue;
      const auto count = resource::Quantity::FromInt(static_cast<std::int64_t>(size));
      for (const std::string& name : names) used[name] = count;
      continue;
    }
    resource->store->Walk(NamespacePrefix(namespace_), {}, state_.resource_version,
                          [&](const StoredObjectPtr& stored) {
                            Apply(*resource, quota, stored->Parse(), /*adds=*/true, used);
                            return true;
                          });
  }
  return used;
}

void ResourceQuotaController::Write(const StoredObjectPtr& stored, Counted& counted) {
  Quota& quota = counted.quota;
  counted.stored = stored;
  if ((quota.hard == quota.wanted && quota.used == counted.used) || !state_.acts()) return;
  json::Value object = stored->Parse();
  json::Value& status = object.Ensure("status");
  status.Set("hard", std::as_const(object).At("/spec/hard"));
  status.Set("used", ToJson(counted.used));
  writing_ = true;
  const auto written = writer_.Update({.at = state_.resources.Find("", "v1", "resourcequotas"),
                                       .namespace_ = std::string(stored->namespace_()),
                                       .name = std::string(stored->name()),
                                       .subresource = "status",
                                       .keep_status = true},
                                      std::move(object));
  writing_ = false;
  // The next change counts again; or the quota was removed meanwhile.
  if (!written || !counted_.contains(stored->key())) return;
  counted.stored = written->stored;
  quota.hard = quota.wanted;
  quota.used = counted.used;
}

}  // namespace kinformer::apiserver

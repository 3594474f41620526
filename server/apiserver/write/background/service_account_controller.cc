#include "apiserver/write/background/service_account_controller.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr const char* kDefault = "default";

}  // namespace

void ServiceAccountController::AfterPut(const ObjectPut& put) {
  if (!put.at.resource->Is("", "namespaces") || put.stored->terminating()) return;
  Make(std::string(put.stored->name()));
}

void ServiceAccountController::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  if (!at.resource->Is("", "serviceaccounts") || old->name() != kDefault) return;
  // In a later turn, so that those who deleted it see that it was gone.
  state_.Post([this, namespace_ = std::string(old->namespace_())] { Make(namespace_); });
}

void ServiceAccountController::Make(const std::string& namespace_) {
  const ResourceAt accounts = state_.resources.Find("", "v1", "serviceaccounts");
  if (accounts.resource->Find(namespace_, kDefault) != nullptr) return;
  json::Value account = json::Value::MakeObject();
  account.Ensure("metadata").Set("name", kDefault);
  // Fails in a namespace that is gone or going.
  (void)writer_
      .Create({.at = accounts, .namespace_ = namespace_, .name = kDefault}, std::move(account))
      .ok();
}

}  // namespace kinformer::apiserver

#include "apiserver/admission/versioned_objects.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

using Pointer = std::shared_ptr<const json::Value>;

Pointer Shared(json::Value value) { return std::make_shared<const json::Value>(std::move(value)); }

}  // namespace

VersionedObjects::VersionedObjects(const AdmissionParts& parts,
                                   std::shared_ptr<const AdmissionAttributes> attributes)
    : parts_(parts),
      attributes_(std::move(attributes)),
      current_(attributes_, &attributes_->object) {}

const json::Value& VersionedObjects::latest() const {
  return replaced_ == nullptr ? attributes_->object : *replaced_;
}

bool VersionedObjects::Converts(const ResourceAt& at) const {
  const ResourceAt& asked = attributes_->at;
  return !attributes_->kind && asked.resource->custom &&
         asked.resource->defined->webhook != nullptr &&
         at.version->version != asked.version->version;
}

Task<Result<void>> VersionedObjects::Show(ResourceAt at) {
  ShownObjects& there = shown_[at.version->api_version];
  if (there.object != nullptr && there.old != nullptr) co_return {};
  if (there.object == nullptr && current_ == nullptr) {
    const Result<Pointer> taken = co_await Take();
    if (!taken) co_return taken.error();
  }
  if (Converts(at)) {
    const Result<void> converted = co_await Convert(at, there);
    if (!converted) co_return converted.error();
  } else {
    co_await parts_.off_loop.Do(attributes_->bytes, [&] { Make(at, there); });
  }
  co_return {};
}

void VersionedObjects::Make(const ResourceAt& at, ShownObjects& there) const {
  if (there.object == nullptr) there.object = Shared(ShownIn(*attributes_, at, *current_));
  if (there.old == nullptr) there.old = Shared(ShownIn(*attributes_, at, attributes_->old));
}

Task<Result<void>> VersionedObjects::Convert(ResourceAt at, ShownObjects& there) {
  // Shown objects have the kind and apiVersion that a conversion needs.
  std::vector<Pointer ShownObjects::*> missing;
  std::vector<Pointer> sources;
  const auto want = [&](Pointer ShownObjects::* which, const Pointer& source) {
    if (there.*which != nullptr) return;
    if (source->is_null()) {
      there.*which = source;
      return;
    }
    missing.push_back(which);
    sources.push_back(source);
  };
  want(&ShownObjects::object, current_);
  want(&ShownObjects::old, Pointer(attributes_, &attributes_->old));
  if (missing.empty()) co_return {};
  std::vector<json::Value> from;
  co_await parts_.off_loop.Do(attributes_->bytes, [&] {
    for (const Pointer& source : sources) {
      from.push_back(ShownIn(*attributes_, attributes_->at, *source));
    }
  });
  at.resource = attributes_->at.resource;
  Result<std::vector<json::Value>> made =
      co_await parts_.converter.ConvertDocuments(at, attributes_->bytes, std::move(from));
  if (!made) co_return made.error();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    there.*missing[i] = Shared(std::move((*made)[i]));
  }
  co_return {};
}

void VersionedObjects::Discard(Pointer garbage) const {
  const bool own = garbage != nullptr && !garbage->is_null() &&
                   garbage.get() != &attributes_->object && garbage.get() != &attributes_->old;
  if (own && parts_.state.discard) {
    parts_.state.discard(std::move(garbage), attributes_->bytes);
  }
}

void VersionedObjects::Discard() {
  for (auto& [version, shown] : shown_) {
    Discard(std::move(shown.object));
    Discard(std::move(shown.old));
  }
  Discard(std::move(replaced_));
  Discard(std::move(current_));
}

void VersionedObjects::Restart() {
  for (auto& [version, shown] : shown_) Discard(std::exchange(shown.object, nullptr));
  Discard(std::exchange(replaced_, nullptr));
  current_ = Pointer(attributes_, &attributes_->object);
}

void VersionedObjects::Replace(const ResourceAt& at, json::Value object) {
  for (auto& [version, shown] : shown_) Discard(std::exchange(shown.object, nullptr));
  replaced_ = Shared(std::move(object));
  replaced_at_ = at;
  shown_[at.version->api_version].object = replaced_;
  current_ = nullptr;
}

Task<Result<Pointer>> VersionedObjects::Take() {
  if (current_ != nullptr) co_return current_;
  if (Converts(replaced_at_)) {
    json::Value from = *replaced_;
    Result<json::Value> made = co_await parts_.converter.ConvertDocument(
        attributes_->at, attributes_->bytes, std::move(from));
    if (!made) co_return made.error();
    current_ = Shared(*std::move(made));
  } else {
    Pointer taken = co_await parts_.off_loop.Do(attributes_->bytes, [&] {
      return Shared(TakenFrom(*attributes_, replaced_at_, *replaced_));
    });
    current_ = std::move(taken);
  }
  co_return current_;
}

}  // namespace kinformer::apiserver

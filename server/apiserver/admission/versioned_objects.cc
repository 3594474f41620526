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

void VersionedObjects::Do(std::function<void()> work, std::function<void()> then) {
  if (!OffLoop::IsMuch(attributes_->bytes)) {
    work();
    return then();
  }
  under_way_ = parts_.off_loop.Start(std::move(work), std::move(then));
}

void VersionedObjects::Show(const ResourceAt& at,
                            std::function<void(Result<ShownObjects> shown)> done) {
  const ShownObjects& there = shown_[at.version->api_version];
  if (there.object != nullptr && there.old != nullptr) return done(there);
  if (there.object != nullptr || current_ != nullptr) {
    return Converts(at) ? Convert(at, std::move(done)) : Make(at, std::move(done));
  }
  Take([this, at, done = std::move(done)](const Result<Pointer>& taken) mutable {
    if (!taken) return done(taken.error());
    Show(at, std::move(done));
  });
}

void VersionedObjects::Make(const ResourceAt& at,
                            std::function<void(Result<ShownObjects> shown)> done) {
  const auto made = std::make_shared<ShownObjects>(shown_[at.version->api_version]);
  Do(
      [made, at, attributes = attributes_, current = current_] {
        if (made->object == nullptr) made->object = Shared(ShownIn(*attributes, at, *current));
        if (made->old == nullptr) made->old = Shared(ShownIn(*attributes, at, attributes->old));
      },
      [this, made, at, done = std::move(done)] {
        shown_[at.version->api_version] = *made;
        done(*made);
      });
}

void VersionedObjects::Convert(const ResourceAt& at,
                               std::function<void(Result<ShownObjects> shown)> done) {
  // Shown objects have the kind and apiVersion that a conversion needs.
  ShownObjects& there = shown_[at.version->api_version];
  const auto from = std::make_shared<std::vector<json::Value>>();
  const auto missing = std::make_shared<std::vector<Pointer ShownObjects::*>>();
  std::vector<Pointer> sources;
  const auto want = [&](Pointer ShownObjects::* which, const Pointer& source) {
    if (there.*which != nullptr) return;
    if (source->is_null()) {
      there.*which = source;
      return;
    }
    missing->push_back(which);
    sources.push_back(source);
  };
  want(&ShownObjects::object, current_);
  want(&ShownObjects::old, Pointer(attributes_, &attributes_->old));
  if (missing->empty()) return done(there);
  Do(
      [from, sources = std::move(sources), attributes = attributes_] {
        for (const Pointer& source : sources) {
          from->push_back(ShownIn(*attributes, attributes->at, *source));
        }
      },
      [this, from, missing, at, done = std::move(done)] {
        under_way_ = parts_.converter.ConvertDocuments(
            {.resource = attributes_->at.resource, .version = at.version}, attributes_->bytes,
            std::move(*from), [this, missing, at, done](Result<std::vector<json::Value>> made) {
              if (!made) return done(made.error());
              ShownObjects& shown = shown_[at.version->api_version];
              for (std::size_t i = 0; i < missing->size(); ++i) {
                shown.*(*missing)[i] = Shared(std::move((*made)[i]));
              }
              done(shown);
            });
      });
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

void VersionedObjects::Replace(const ResourceAt& at, json::Value object) {
  for (auto& [version, shown] : shown_) Discard(std::exchange(shown.object, nullptr));
  replaced_ = Shared(std::move(object));
  replaced_at_ = at;
  shown_[at.version->api_version].object = replaced_;
  current_ = nullptr;
}

void VersionedObjects::Take(Taken done) {
  if (current_ != nullptr) return done(current_);
  if (Converts(replaced_at_)) {
    std::vector<json::Value> from;
    from.push_back(*replaced_);
    under_way_ = parts_.converter.ConvertDocuments(
        attributes_->at, attributes_->bytes, std::move(from),
        [this, done = std::move(done)](Result<std::vector<json::Value>> made) {
          if (!made) return done(made.error());
          current_ = Shared(std::move(made->front()));
          done(current_);
        });
    return;
  }
  const auto taken = std::make_shared<Pointer>();
  Do([taken, at = replaced_at_, attributes = attributes_,
      replaced = replaced_] { *taken = Shared(TakenFrom(*attributes, at, *replaced)); },
     [this, taken, done = std::move(done)] {
       current_ = *taken;
       done(current_);
     });
}

}  // namespace kinformer::apiserver

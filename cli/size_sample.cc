#include "cli/size_sample.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/client/list_options.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_meta.h"

#include "cli/size_strata.h"

namespace kinformer::cli {
namespace {

using internal::ListedObjects;
using internal::ObjectRef;
using internal::ResourceCore;

constexpr std::size_t kSmall = 250;  // collections that are read whole
constexpr std::size_t kLeast = 200;  // objects of larger ones
constexpr double kGoodError = 0.02;
constexpr std::int64_t kPage = 500;
constexpr std::uint64_t kMostNames = 200'000;
constexpr std::chrono::seconds kProbe(5);

ListOptions Selected(const Selection& selection) {
  return {.labelSelector = selection.label_selector, .fieldSelector = selection.field_selector};
}

// Whether the server sends existing objects with a watch. Asks for one object that does not exist.
bool HasWatchList(const ResourceCore& resource, CallOptions call) {
  ListOptions options{.fieldSelector = "metadata.name=kinformer-size-asks-for-nothing",
                      .resourceVersionMatch = "NotOlderThan",
                      .allowWatchBookmarks = true};
  options.sendInitialEvents = true;
  options.timeoutSeconds = 1;
  call.timeout = kProbe;
  bool ended = false;
  const Result<void> watched = resource.Watch(
      options,
      [&ended](const internal::OwnedWatchEvent& event) {
        ended = event.initial_events_end;
        return !ended;
      },
      call);
  return watched && ended;
}

std::string OwnerOf(const metav1::ObjectMeta& metadata) {
  for (const metav1::OwnerReference owner : metadata.ownerReferences()) {
    return std::string(owner.kind());
  }
  return {};
}

// Walks over the metadata of a collection.
class Walk {
 public:
  Walk(const Selection& selection, const ResourceCore& metadata, Strata& strata, SizeSample& sample)
      : options_(Selected(selection)), metadata_(metadata), strata_(strata), sample_(sample) {
    options_.limit = kPage;
  }

  // Reads one page.
  Result<void> ReadPage(const CallOptions& call) {
    const Result<ListedObjects> page = metadata_.ListPage(options_, call);
    if (!page) {
      // The pages so far are a part of the collection, and the last told the number of the rest.
      const Reason reason = page.error().reason();
      const bool expired = reason == Reason::kExpired || reason == Reason::kGone;
      if (expired && sample_.names > 0) {
        done_ = true;
        return {};
      }
      return page.error();
    }
    for (const ObjectRef& object : page->items) Add(object);
    sample_.names += page->items.size();
    const auto remaining = static_cast<std::uint64_t>(page->metadata.remainingItemCount);
    sample_.objects = sample_.names + remaining;
    options_.continue_ = page->metadata.continue_;
    // Without the number of the rest, as with selectors, the end is the only way to it.
    done_ = options_.continue_.empty() || (sample_.names >= kMostNames && remaining > 0);
    return {};
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  void Add(const ObjectRef& object) {
    const internal::Block& block = *object;
    strata_.Add(block.namespace_(), block.name(), OwnerOf(Object(&block).metadata()),
                block.metadata_bytes().size());
    ++sample_.namespaces[std::string(block.namespace_())];
  }

  ListOptions options_;
  const ResourceCore& metadata_;
  Strata& strata_;
  SizeSample& sample_;
  bool done_ = false;
};

Result<void> ReadAll(const ResourceCore& resource, const Selection& selection, SizeSample& sample,
                     const CallOptions& call) {
  Result<ListedObjects> listed = resource.List(Selected(selection), call);
  if (!listed) return listed.error();
  sample.objects = sample.names = listed->items.size();
  sample.namespaces.clear();
  for (ObjectRef& object : listed->items) {
    ++sample.namespaces[std::string(object->namespace_())];
    sample.sampled.push_back({std::move(object), 1});
  }
  return {};
}

Result<void> ReadSome(const ResourceCore& resource, const SampleOptions& options, Strata& strata,
                      SizeSample& sample, const CallOptions& call) {
  std::vector<std::size_t> stratum_of;
  while (sample.sampled.size() < options.most) {
    if (sample.sampled.size() >= kLeast && strata.RelativeError() <= kGoodError) break;
    const std::optional<Pick> pick = strata.Next();
    if (!pick) break;
    Result<ObjectRef> object =
        resource.InNamespace(pick->namespace_).Get(pick->name, GetOptions(), call);
    if (!object) {
      if (IsNotFound(object.error())) continue;  // deleted since
      return object.error();
    }
    strata.Note(pick->stratum, (*object)->payload().size());
    stratum_of.push_back(pick->stratum);
    sample.sampled.push_back({*std::move(object), 1});
  }
  const double unknown = static_cast<double>(sample.objects) / static_cast<double>(sample.names);
  for (std::size_t i = 0; i < stratum_of.size(); ++i) {
    sample.sampled[i].weight = strata.Weight(stratum_of[i]) * unknown;
  }
  sample.error = strata.RelativeError();
  return {};
}

}  // namespace

Result<SizeSample> TakeSample(const Client& client, const Selection& selection,
                              const SampleOptions& options, const CallOptions& call) {
  const ResourceCore resource(client.core(), *selection.type, selection.namespace_);
  const ResourceCore metadata(client.core(), selection.mapping.metadata_type(),
                              selection.namespace_);
  SizeSample sample;
  Strata strata(options.seed, options.most);
  Walk walk(selection, metadata, strata, sample);
  if (Result<void> read = walk.ReadPage(call); !read) return read.error();
  if (!walk.done() || sample.objects > std::min(kSmall, options.most)) {
    while (!walk.done()) {
      if (Result<void> read = walk.ReadPage(call); !read) return read.error();
    }
    strata.Merge();
    if (Result<void> read = ReadSome(resource, options, strata, sample, call); !read) {
      return read.error();
    }
  } else if (Result<void> read = ReadAll(resource, selection, sample, call); !read) {
    return read.error();
  }
  sample.watch_list = HasWatchList(resource, call);
  return sample;
}

}  // namespace kinformer::cli

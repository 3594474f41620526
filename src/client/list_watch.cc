#include "client/list_watch.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/core/user_call.h"
#include "client/client_core.h"
#include "client/features.h"
#include "client/list_call.h"
#include "client/list_source.h"
#include "client/object_codec.h"
#include "client/request_path.h"
#include "client/version_source.h"
#include "client/watch_call.h"

namespace kinformer::internal::client {
namespace {

class EngineListWatch final : public ListerWatcher {
 public:
  EngineListWatch(std::shared_ptr<Engine> engine, const KindInfo& type, std::string namespace_,
                  TweakListOptionsFunc tweak, bool throttled, HttpHeaders headers)
      : namespace_text_(std::move(namespace_)),
        tweak_(std::move(tweak)),
        source_(std::make_shared<ListSource>(
            ListSource{std::move(engine), &type, "", IsMetadataOnly(type), throttled})),
        namespaced_(type.namespaced || type.kind.empty()) {
    Result<std::string> path =
        BuildPath({type.group, type.version, type.resource,
                   namespaced_ ? std::string_view(namespace_text_) : std::string_view(), "", ""});
    if (namespaced_) source_->namespace_ = namespace_text_;
    source_->headers = std::move(headers);
    if (path) {
      source_->path = *std::move(path);
    } else {
      bad_path_ = std::move(path).error();
    }
  }

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return Started<ListCall>(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return Started<WatchCall>(options, receiver);
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>& answer) override {
    if (bad_path_) return nullptr;
    return source_->engine->version_questions().Ask(VersionSourceOf(*source_), answer);
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override {
    if (bad_path_) return nullptr;
    const KindInfo& type = *source_->type;
    const std::string& ns = namespace_text_.empty() ? namespace_ : namespace_text_;
    Result<std::string> path = BuildPath(
        {type.group, type.version, type.resource, namespaced_ ? std::string_view(ns) : "", "", ""});
    if (!path) return nullptr;
    auto source = std::make_shared<ListSource>(ListSource{
        source_->engine,
        MetadataKindInfo(type.group, type.version, type.kind, type.resource, type.namespaced),
        *std::move(path), true, source_->throttled});
    source->entry.drop_managed_fields = true;
    return Started<ListCall>(options, receiver, source);
  }
  bool SetEntryOptions(const EntryOptions& options) override {
    source_->entry = options;
    return true;
  }
  // Returns what a request now would select; `tweak_` is a function that cannot be inspected.
  ListScope Scope() const override {
    ListOptions options;
    (void)Tweak(options);
    return {source_->namespace_, options.labelSelector, options.fieldSelector,
            options.shardSelector};
  }
  bool IsWatchListSemanticsUnSupported() const override {
    return !WatchListClientEnabled() ||
           source_->engine->watch_list_refusals().Has(ResourceName(*source_->type));
  }
  void WatchListDeclined() override {
    source_->engine->watch_list_refusals().Add(ResourceName(*source_->type));
  }
  std::string Describe() const override {
    std::string text = ResourceName(*source_->type);
    if (!namespace_text_.empty()) text += " in namespace " + namespace_text_;
    return text;
  }

 private:
  template <class Call, class Receiver>
  std::unique_ptr<ListWatchCall> Started(ListOptions options, Receiver& receiver) const {
    return Started<Call>(std::move(options), receiver, source_);
  }
  template <class Call, class Receiver>
  std::unique_ptr<ListWatchCall> Started(ListOptions options, Receiver& receiver,
                                         const std::shared_ptr<ListSource>& source) const {
    auto call = std::make_unique<Call>(source, receiver);
    if (bad_path_) {
      call->Refuse(*bad_path_);
    } else if (Result<void> tweaked = Tweak(options); !tweaked) {
      call->Refuse(std::move(tweaked).error());
    } else {
      call->Start(options);
    }
    return call;
  }

  [[nodiscard]] Result<void> Tweak(ListOptions& options) const {
    if (!tweak_) return {};
    return base::CallUser(
        source_->engine->env(), "tweak_list_options", [&] { tweak_(options); },
        [&] { return Describe(); });
  }

  const std::string namespace_text_;
  const TweakListOptionsFunc tweak_;
  const std::shared_ptr<ListSource> source_;
  const bool namespaced_;  // true for a kind known only by its resource, as it may have namespaces
  std::optional<Error> bad_path_;
};

}  // namespace

std::unique_ptr<ListerWatcher> NewEngineListWatch(std::shared_ptr<Engine> engine,
                                                  const KindInfo& type, std::string namespace_,
                                                  TweakListOptionsFunc tweak, bool throttled,
                                                  HttpHeaders headers) {
  return std::make_unique<EngineListWatch>(std::move(engine), type, std::move(namespace_),
                                           std::move(tweak), throttled, std::move(headers));
}

}  // namespace kinformer::internal::client

namespace kinformer::internal {

std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, const KindInfo& type,
                                            std::string namespace_, TweakListOptionsFunc tweak) {
  return NewListWatch(client.core(), type, std::move(namespace_), std::move(tweak));
}
std::unique_ptr<ListerWatcher> NewListWatch(const std::shared_ptr<ClientCore>& client,
                                            const KindInfo& type, std::string namespace_,
                                            TweakListOptionsFunc tweak) {
  return client::NewEngineListWatch(client->engine(), type, std::move(namespace_), std::move(tweak),
                                    /*throttled=*/false);
}

TweakListOptionsFunc SelectFields(const FieldSelector& field_selector) {
  if (field_selector.MatchesEverything()) return {};
  return [text = field_selector.ToString()](ListOptions& options) { options.fieldSelector = text; };
}

}  // namespace kinformer::internal

namespace kinformer {
namespace {

// The kind is unknown, and so is whether it is namespaced: see EngineListWatch.
const KindInfo& TypeOf(const GroupVersionResource& resource) {
  return *internal::DynamicKindInfo(resource.group, resource.version, "", resource.resource, false);
}

}  // namespace

std::unique_ptr<ListerWatcher> NewListWatch(const Client& client,
                                            const GroupVersionResource& resource,
                                            std::string namespace_,
                                            const FieldSelector& field_selector) {
  return internal::NewListWatch(client, TypeOf(resource), std::move(namespace_),
                                internal::SelectFields(field_selector));
}

std::unique_ptr<ListerWatcher> NewFilteredListWatch(const Client& client,
                                                    const GroupVersionResource& resource,
                                                    std::string namespace_,
                                                    TweakListOptionsFunc tweak) {
  return internal::NewListWatch(client, TypeOf(resource), std::move(namespace_), std::move(tweak));
}

}  // namespace kinformer

#include "apiserver/read/reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/read/list_stream.h"
#include "apiserver/read/watch_stream.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/object_encoder.h"
#include "base/core/seconds.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kExactly = "Exact";
constexpr std::string_view kNotOlder = "NotOlderThan";

// Returns 0 for "" and "0".
Result<std::int64_t> ParseVersion(std::string_view text) {
  if (text.empty()) return std::int64_t{0};
  const std::optional<std::int64_t> version = internal::base::NumberIn(text);
  if (!version || *version < 0) {
    return BadRequestError("invalid resource version \"" + std::string(text) +
                           "\": it must be a non-negative decimal number");
  }
  return *version;
}

// Returns whether a watch begins with the state at any version.
bool IsAnyVersion(const Query& query) {
  const std::string_view version = query.Get("resourceVersion");
  return version.empty() || version == "0";
}

Result<void> CheckListMatch(const Query& query) {
  const std::string_view version = query.Get("resourceVersion");
  const std::string_view match = query.Get("resourceVersionMatch");
  std::vector<StatusCause> causes;
  if (query.Has("sendInitialEvents")) {
    causes.push_back(
        ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  const auto forbid_match = [&](std::string_view why) {
    causes.push_back(ForbiddenField("resourceVersionMatch", why));
  };
  if (!match.empty()) {
    if (!query.Get("continue").empty()) {
      forbid_match("resourceVersionMatch is forbidden when continue is provided");
    }
    if (version.empty()) {
      forbid_match("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (match != kExactly && match != kNotOlder) {
      causes.push_back(
          NotSupported("resourceVersionMatch", match, R"("Exact", "NotOlderThan", "")"));
    }
    if (match == kExactly && version == "0") {
      forbid_match("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (causes.empty()) return {};
  return InvalidOptionsError("ListOptions", std::move(causes));
}

Result<void> CheckWatchMatch(const Query& query) {
  const std::string_view match = query.Get("resourceVersionMatch");
  const bool initial = query.Has("sendInitialEvents");
  StatusCause cause;
  if (match.empty()) {
    if (!initial) return {};
    cause = ForbiddenField("resourceVersionMatch",
                           "sendInitialEvents requires setting resourceVersionMatch to "
                           "NotOlderThan");
  } else if (!initial) {
    cause = ForbiddenField("resourceVersionMatch",
                           "resourceVersionMatch is forbidden for watch unless sendInitialEvents "
                           "is provided");
  } else if (match != kNotOlder) {
    cause = NotSupported("resourceVersionMatch", match, "\"NotOlderThan\"");
  } else {
    return {};
  }
  return InvalidOptionsError("ListOptions", {std::move(cause)});
}

Error ExpiredContinue(const ContinueToken& token) {
  Error error = ExpiredError(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  error.WithDetails({.continue_ = EncodeContinue({.resource_version = -1, .start = token.start})});
  return error;
}

// Returns whether an object takes long to encode: a large one in another form than the stored text.
bool IsEncodedElsewhere(const ResourceRequest& request, const StoredObject& stored) {
  return !IsStoredText(request.at, request.format) && OffLoop::IsMuch(stored.body().size());
}

// Returns the version `versions` before the latest one, but at least `oldest`.
std::int64_t Earlier(const ReadFrom& from, std::int64_t versions, std::int64_t oldest) {
  // 0 is no valid resourceVersion of a state.
  return std::max({from.resource_version - versions, oldest, std::int64_t{1}});
}

}  // namespace

ResponsePtr Reader::Get(const std::shared_ptr<const ResourceRequest>& request) {
  const auto version = ParseVersion(request->info.query.Get("resourceVersion"));
  if (!version) return ErrorResponse(version.error(), request->accept);
  if (*version <= state_.resource_version) return GetAt(request, true);
  return WhenVersionReached(state_, *version, state_.options.future_version_wait,
                            [this, request](bool reached) { return GetAt(request, reached); });
}

ResponsePtr Reader::GetAt(const std::shared_ptr<const ResourceRequest>& asked_for, bool reached) {
  const ResourceRequest& request = *asked_for;
  if (!reached) {
    const std::int64_t asked = ParseVersion(request.info.query.Get("resourceVersion")).value_or(0);
    return ErrorResponse(TooLargeResourceVersionError(asked, state_.resource_version),
                         request.accept);
  }
  const ServedResource& resource = *request.at.resource;
  const StoredObjectPtr stored = resource.Find(request.info.namespace_, request.info.name);
  if (stored == nullptr) {
    return ErrorResponse(NotFoundError(resource.Subject(request.info.name)), request.accept);
  }
  if (MustConvert(request.at, *stored) || IsEncodedElsewhere(request, *stored)) {
    return Respond(state_.env, Show(asked_for, stored));
  }
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  return WholeResponse(200, ContentTypeOf(request.format, false), encoder.Object(stored));
}

Task<ResponsePtr> Reader::Show(std::shared_ptr<const ResourceRequest> asked_for,
                               StoredObjectPtr stored) {
  const ResourceRequest& request = *asked_for;
  Result<StoredObjectPtr> shown = co_await converter_.Convert(request.at, std::move(stored));
  if (!shown) co_return ErrorResponse(shown.error(), request.accept);
  std::size_t bytes = 0;
  if (IsEncodedElsewhere(request, **shown)) {
    shown = (*shown)->Copy();
    bytes = (*shown)->body().size();
  }
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  std::string text = co_await off_loop_.Do(bytes, [&] { return encoder.Object(*shown); });
  co_return WholeResponse(200, ContentTypeOf(request.format, false), std::move(text));
}

ResponsePtr Reader::List(const std::shared_ptr<const ResourceRequest>& request) {
  const Query& query = request->info.query;
  if (Result<void> valid = CheckListMatch(query); !valid) {
    return ErrorResponse(valid.error(), request->accept);
  }
  const auto version = ParseVersion(query.Get("resourceVersion"));
  if (!version) return ErrorResponse(version.error(), request->accept);
  if (*version <= state_.resource_version) return ListAt(request, true);
  return WhenVersionReached(state_, *version, state_.options.future_version_wait,
                            [this, request](bool reached) { return ListAt(request, reached); });
}

ResponsePtr Reader::ListAt(const std::shared_ptr<const ResourceRequest>& asked_for, bool reached) {
  const ResourceRequest& request = *asked_for;
  if (!reached) {
    const std::int64_t asked = ParseVersion(request.info.query.Get("resourceVersion")).value_or(0);
    return ErrorResponse(TooLargeResourceVersionError(asked, state_.resource_version),
                         request.accept);
  }
  const auto limit = request.info.query.GetInt("limit");
  if (limit && limit->value_or(0) > 0) (void)state_.CompactedVersion();
  if (!IsConverted(request.at)) {
    return ListFrom(request, {.at = request.at, .resource_version = state_.resource_version});
  }
  return caches_.WhenCurrent(request.at, [this, asked_for](const Result<ReadFrom>& from) {
    return from ? ListFrom(*asked_for, *from) : ErrorResponse(from.error(), asked_for->accept);
  });
}

ResponsePtr Reader::ListFrom(const ResourceRequest& request, const ReadFrom& from) {
  Result<ListPlan> plan = PlanList(request, from);
  if (!plan) return ErrorResponse(plan.error(), request.accept);
  return NewListStream(state_.env, off_loop_,
                       ObjectEncoder(from.at, request.format, state_.env.WallNow()),
                       *std::move(plan));
}

std::string_view Reader::ShardSelectorOf(const Query& query) const {
  return state_.options.sharded_list_and_watch ? query.Get("shardSelector") : std::string_view();
}

Result<ListPlan> Reader::PlanList(const ResourceRequest& request, const ReadFrom& from) {
  const Query& query = request.info.query;
  const ResourceStore& store = *from.at.resource->store;
  const auto limit = query.GetInt("limit");
  if (!limit) return limit.error();
  const std::string_view continue_ = query.Get("continue");
  if (!continue_.empty() && ParseVersion(query.Get("resourceVersion")).value_or(0) != 0) {
    return BadRequestError("specifying resource version is not allowed when using continue");
  }
  auto selection = Selection::Make(request.at, request.info.namespace_, query.Get("labelSelector"),
                                   query.Get("fieldSelector"), ShardSelectorOf(query));
  if (!selection) return selection.error();
  ListPlan plan{.selection = *std::move(selection),
                .resource_version = from.resource_version,
                .limit = limit->value_or(0),
                .remaining = static_cast<std::int64_t>(request.info.namespace_.empty()
                                                           ? store.size()
                                                           : store.size(request.info.namespace_))};
  const Result<void> placed = continue_.empty() ? ChooseListVersion(request, from, plan)
                                                : ResumeList(request, from, continue_, plan);
  if (!placed) return placed.error();
  return plan;
}

Result<void> Reader::ResumeList(const ResourceRequest& request, const ReadFrom& from,
                                std::string_view continue_, ListPlan& plan) {
  const auto token = DecodeContinue(continue_);
  if (!token) return token.error();
  if (token->resource_version > 0) {
    const std::int64_t oldest =
        std::max(from.at.resource->store->floor(), state_.CompactedVersion() + 1);
    if (token->resource_version < oldest || request.view.expired ||
        state_.IsLost(token->resource_version)) {
      return ExpiredContinue(*token);
    }
    if (token->resource_version > from.resource_version) {
      return TooLargeResourceVersionError(token->resource_version, from.resource_version);
    }
    plan.resource_version = token->resource_version;
  }
  plan.from = plan.selection.namespace_prefix() + token->start;
  plan.remaining = token->remaining;
  return {};
}

Result<void> Reader::ChooseListVersion(const ResourceRequest& request, const ReadFrom& from,
                                       ListPlan& plan) {
  const Query& query = request.info.query;
  const ReadView& view = request.view;
  const std::int64_t floor = from.at.resource->store->floor();
  const std::string_view version_text = query.Get("resourceVersion");
  const std::int64_t version = ParseVersion(version_text).value_or(0);
  if (version_text == "0") plan.limit = 0;
  if (version > 0) {
    const std::string_view match = query.Get("resourceVersionMatch");
    const bool exact = match == kExactly || (match.empty() && plan.limit > 0);
    if (view.expired || (exact && (version < floor || state_.IsLost(version)))) {
      return ExpiredError("The resourceVersion for the provided list is too old.");
    }
    if (exact) plan.resource_version = version;
  }
  if (plan.resource_version != from.resource_version) return {};
  if (view.list_behind != 0) plan.resource_version = Earlier(from, view.list_behind, floor);
  if (view.cache_behind != 0 && !version_text.empty()) {
    plan.resource_version = Earlier(from, view.cache_behind, std::max(version, floor));
  }
  return {};
}

Result<WatchPlan> Reader::PlanWatch(const ResourceRequest& request) const {
  const Query& query = request.info.query;
  const std::optional<bool> initial = query.GetBool("sendInitialEvents");
  if (query.Has("sendInitialEvents") && !state_.options.watch_list) {
    return InvalidOptionsError(
        "ListOptions", {ForbiddenField("sendInitialEvents",
                                       "sendInitialEvents is forbidden for watch unless the "
                                       "WatchList feature gate is enabled")});
  }
  if (Result<void> valid = CheckWatchMatch(query); !valid) return valid.error();
  const auto version = ParseVersion(query.Get("resourceVersion"));
  if (!version) return version.error();
  const auto timeout = query.GetInt("timeoutSeconds");
  if (!timeout) return timeout.error();
  auto selection = Selection::Make(request.at, request.info.namespace_, query.Get("labelSelector"),
                                   query.Get("fieldSelector"), ShardSelectorOf(query));
  if (!selection) return selection.error();

  WatchPlan plan{.selection = *std::move(selection), .resource_version = *version};
  const std::string_view labels = query.Get("labelSelector");
  plan.selectors = std::to_string(labels.size()) + ':';
  plan.selectors.append(labels).append(query.Get("fieldSelector"));
  // No field has this character.
  plan.selectors.append("|").append(ShardSelectorOf(query));
  plan.bookmarks = query.GetBool("allowWatchBookmarks").value_or(false);
  plan.timeout = internal::base::SaturatedSeconds(timeout->value_or(0));
  if (plan.timeout <= Duration::zero()) {
    const Duration minimum = state_.options.min_watch_timeout;
    plan.timeout = minimum + Duration(static_cast<Duration::rep>(
                                 static_cast<double>(minimum.count()) * RandomUnit(state_.env)));
  }
  plan.initial_events = initial.value_or(IsAnyVersion(query));
  plan.mark_end =
      plan.initial_events && plan.bookmarks && (initial.has_value() || state_.options.watch_list);
  return plan;
}

bool Reader::IsOfEarlierServer(std::int64_t version) const {
  return state_.options.first_resource_version.value_or(1) > 1 &&
         version > state_.resource_version && version < kVersionsOfServers;
}

ResponsePtr Reader::StartWatch(const ResourceRequest& request, const ResourceAt& at,
                               WatchPlan plan) {
  const ObjectEncoder encoder(at, request.format, state_.env.WallNow());
  const std::int64_t from = plan.resource_version;
  auto stream = std::make_unique<WatchStream>(state_, frames_, encoder, std::move(plan));
  if (!request.view.wrap_watch) return stream;
  return request.view.wrap_watch(encoder, from, std::move(stream));
}

ResponsePtr Reader::FailedWatch(const ResourceRequest& request, WatchPlan plan,
                                const Error& error) {
  plan.error = error;
  plan.resource_version = state_.resource_version;
  return StartWatch(request, request.at, std::move(plan));
}

ResponsePtr Reader::WatchAfter(const ResourceRequest& request, const ReadFrom& from,
                               WatchPlan plan) {
  const ReadView& view = request.view;
  const std::int64_t version = plan.resource_version;
  const std::int64_t floor = from.at.resource->store->floor();
  plan.resource_version = std::max(version - view.watch_behind, std::min(version, floor));
  const bool lost = IsOfEarlierServer(version) || state_.IsLost(version);
  if (version < floor || view.expired || lost)
    plan.error = TooOldResourceVersionError(version, floor);
  return StartWatch(request, from.at, std::move(plan));
}

ResponsePtr Reader::WatchStateFrom(const ResourceRequest& request, const ReadFrom& from,
                                   WatchPlan plan) {
  const ReadView& view = request.view;
  const std::int64_t version = plan.resource_version;
  plan.resource_version = from.resource_version;
  if (view.cache_behind != 0) {
    const std::int64_t floor = from.at.resource->store->floor();
    plan.resource_version = Earlier(from, view.cache_behind, std::max(version, floor));
  }
  return StartWatch(request, from.at, std::move(plan));
}

ResponsePtr Reader::WatchState(const std::shared_ptr<const ResourceRequest>& request,
                               WatchPlan plan) {
  if (!IsConverted(request->at)) {
    return WatchStateFrom(*request,
                          {.at = request->at, .resource_version = state_.resource_version},
                          std::move(plan));
  }
  return caches_.WhenCurrent(request->at, [this, request, plan](const Result<ReadFrom>& from) {
    return from ? WatchStateFrom(*request, *from, plan) : FailedWatch(*request, plan, from.error());
  });
}

ResponsePtr Reader::Watch(const std::shared_ptr<const ResourceRequest>& request) {
  Result<WatchPlan> planned = PlanWatch(*request);
  if (!planned) return ErrorResponse(planned.error(), request->accept);
  WatchPlan plan = *std::move(planned);
  const std::int64_t version = plan.resource_version;
  const Query& query = request->info.query;
  const bool with_state = IsAnyVersion(query) || query.GetBool("sendInitialEvents").value_or(false);
  if (!with_state) {
    if (!IsConverted(request->at)) {
      return WatchAfter(*request, {.at = request->at}, std::move(plan));
    }
    return caches_.WhenBegun(request->at, [this, request, plan](const Result<ReadFrom>& from) {
      return from ? WatchAfter(*request, *from, plan) : FailedWatch(*request, plan, from.error());
    });
  }
  if (version <= state_.resource_version) return WatchState(request, std::move(plan));
  return WhenVersionReached(state_, version, state_.options.future_version_wait,
                            [this, request, plan, version](bool reached) {
                              if (reached) return WatchState(request, plan);
                              return FailedWatch(
                                  *request, plan,
                                  TooLargeResourceVersionError(version, state_.resource_version));
                            });
}

}  // namespace kinformer::apiserver

#include "apiserver/reader.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "apiserver/faulty_watch.h"
#include "apiserver/list_stream.h"
#include "apiserver/object_encoder.h"
#include "apiserver/selection.h"
#include "apiserver/watch_stream.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kExactly = "Exact";
constexpr std::string_view kNotOlder = "NotOlderThan";

// "" and "0" give 0.
Result<std::int64_t> ParseVersion(std::string_view text) {
  if (text.empty()) return std::int64_t{0};
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 0) {
    return BadRequestError("invalid resource version \"" + std::string(text) +
                           "\": it must be a non-negative decimal number");
  }
  return version;
}

Result<void> CheckMatch(const Query& query, bool watch) {
  const std::string_view version = query.Get("resourceVersion");
  const std::string_view match = query.Get("resourceVersionMatch");
  const bool initial = query.Has("sendInitialEvents");
  std::vector<StatusCause> causes;
  if (!watch) {
    if (initial) {
      causes.push_back(
          ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if (!match.empty()) {
      if (!query.Get("continue").empty()) {
        causes.push_back(ForbiddenField(
            "resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
      }
      if (version.empty()) {
        causes.push_back(
            ForbiddenField("resourceVersionMatch",
                           "resourceVersionMatch is forbidden unless resourceVersion is provided"));
      }
      if (match != kExactly && match != kNotOlder) {
        causes.push_back(
            NotSupported("resourceVersionMatch", match, R"("Exact", "NotOlderThan", "")"));
      }
      if (match == kExactly && version == "0") {
        causes.push_back(
            ForbiddenField("resourceVersionMatch",
                           "resourceVersionMatch \"exact\" is forbidden for resourceVersion "
                           "\"0\""));
      }
    }
  } else if (initial || !match.empty()) {
    if (!match.empty() && !initial) {
      causes.push_back(ForbiddenField("resourceVersionMatch",
                                      "resourceVersionMatch is forbidden for watch unless "
                                      "sendInitialEvents is provided"));
    } else if (match.empty()) {
      causes.push_back(ForbiddenField(
          "resourceVersionMatch",
          "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    } else if (match != kNotOlder) {
      causes.push_back(NotSupported("resourceVersionMatch", match, "\"NotOlderThan\""));
    }
  }
  if (causes.empty()) return {};
  return InvalidOptionsError("ListOptions", std::move(causes));
}

bool Hits(const ResourceRequest& request, FaultAction action) {
  return request.fault && request.fault->action == action;
}

Error ExpiredContinue(const ContinueToken& token) {
  Error error = ExpiredError(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new "
      "list without the continue parameter, or use the continue token in this response to retrieve "
      "the "
      "remainder of the results. Continuing with the provided token results in an inconsistent "
      "list - objects "
      "that were created, modified, or deleted between the time the first chunk was returned and "
      "now may show "
      "up in the list.");
  error.WithDetails({.continue_ = EncodeContinue({.resource_version = -1, .start = token.start})});
  return error;
}

}  // namespace

ResponsePtr Reader::Get(const std::shared_ptr<const ResourceRequest>& request) {
  const auto version = ParseVersion(request->info.query.Get("resourceVersion"));
  if (!version) return ErrorResponse(version.error(), request->accept);
  if (*version <= state_.resource_version) return GetAt(*request, true);
  return WhenVersionReached(state_, *version, state_.options.future_version_wait,
                            [this, request](bool reached) { return GetAt(*request, reached); });
}

ResponsePtr Reader::GetAt(const ResourceRequest& request, bool reached) {
  if (!reached) {
    const std::int64_t asked = ParseVersion(request.info.query.Get("resourceVersion")).value_or(0);
    return ErrorResponse(TooLargeResourceVersionError(asked, state_.resource_version),
                         request.accept);
  }
  const ServedResource& resource = *request.at.resource;
  const RecordPtr record = resource.store->Get(
      StorageKey(resource.namespaced ? request.info.namespace_ : std::string(), request.info.name));
  if (record == nullptr) {
    return ErrorResponse(NotFoundError(resource.Subject(request.info.name)), request.accept);
  }
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  return WholeResponse(200, ContentTypeOf(request.format, false), encoder.Object(record));
}

ResponsePtr Reader::List(const std::shared_ptr<const ResourceRequest>& request) {
  const Query& query = request->info.query;
  if (Result<void> valid = CheckMatch(query, false); !valid) {
    return ErrorResponse(valid.error(), request->accept);
  }
  const auto version = ParseVersion(query.Get("resourceVersion"));
  if (!version) return ErrorResponse(version.error(), request->accept);
  if (*version <= state_.resource_version) return ListAt(*request, true);
  return WhenVersionReached(state_, *version, state_.options.future_version_wait,
                            [this, request](bool reached) { return ListAt(*request, reached); });
}

ResponsePtr Reader::ListAt(const ResourceRequest& request, bool reached) {
  const Query& query = request.info.query;
  const std::string& accept = request.accept;
  const ServedResource& resource = *request.at.resource;
  const std::string_view version_text = query.Get("resourceVersion");
  const std::int64_t version = ParseVersion(version_text).value_or(0);
  if (!reached) {
    return ErrorResponse(TooLargeResourceVersionError(version, state_.resource_version), accept);
  }
  const auto limit = query.GetInt("limit");
  if (!limit) return ErrorResponse(limit.error(), accept);
  const std::string_view continue_ = query.Get("continue");
  if (!continue_.empty() && version != 0) {
    return ErrorResponse(
        BadRequestError("specifying resource version is not allowed when using continue"), accept);
  }
  auto selection = Selection::Make(request.at, request.info.namespace_, query.Get("labelSelector"),
                                   query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), accept);

  const std::int64_t floor = resource.store->floor();
  ListPlan plan{.selection = *selection,
                .resource_version = state_.resource_version,
                .limit = limit->value_or(0),
                .remaining = 0};
  plan.remaining = static_cast<std::int64_t>(request.info.namespace_.empty()
                                                 ? resource.store->size()
                                                 : resource.store->size(request.info.namespace_));
  const bool expired = Hits(request, FaultAction::kOldResourceVersion);
  if (!continue_.empty()) {
    const auto token = DecodeContinue(continue_);
    if (!token) return ErrorResponse(token.error(), accept);
    if (token->resource_version > 0) {
      if (token->resource_version < floor || expired)
        return ErrorResponse(ExpiredContinue(*token), accept);
      if (token->resource_version > state_.resource_version) {
        return ErrorResponse(
            TooLargeResourceVersionError(token->resource_version, state_.resource_version), accept);
      }
      plan.resource_version = token->resource_version;
    }
    plan.from = selection->namespace_prefix() + token->start;
    plan.remaining = token->remaining;
  } else if (version_text == "0") {
    plan.limit = 0;
  } else if (version > 0) {
    const std::string_view match = query.Get("resourceVersionMatch");
    if (match == kExactly || (match.empty() && plan.limit > 0)) {
      if (version < floor) {
        return ErrorResponse(ExpiredError("The resourceVersion for the provided list is too old."),
                             accept);
      }
      plan.resource_version = version;
    }
  }
  if (expired && version > 0) {
    return ErrorResponse(ExpiredError("The resourceVersion for the provided list is too old."),
                         accept);
  }
  if (continue_.empty() && plan.resource_version == state_.resource_version) {
    if (Hits(request, FaultAction::kStaleRead)) plan.resource_version = Earlier(request, floor);
    if (Hits(request, FaultAction::kStaleCache) && !version_text.empty()) {
      plan.resource_version = Earlier(request, std::max(version, floor));
    }
  }
  return NewListStream(ObjectEncoder(request.at, request.format, state_.env.WallNow()),
                       std::move(plan));
}

std::int64_t Reader::Earlier(const ResourceRequest& request, std::int64_t oldest) const {
  // No state of a server has the resourceVersion 0.
  return std::max({state_.resource_version - request.fault->versions, oldest, std::int64_t{1}});
}

ResponsePtr Reader::Watch(const std::shared_ptr<const ResourceRequest>& request) {
  const Query& query = request->info.query;
  const std::string& accept = request->accept;
  if (query.Has("sendInitialEvents") && !state_.options.watch_list) {
    return ErrorResponse(
        InvalidOptionsError(
            "ListOptions",
            {ForbiddenField("sendInitialEvents",
                            "sendInitialEvents is forbidden for watch unless the WatchList "
                            "feature gate is enabled")}),
        accept);
  }
  if (Result<void> valid = CheckMatch(query, true); !valid)
    return ErrorResponse(valid.error(), accept);
  const std::string_view version_text = query.Get("resourceVersion");
  const auto version = ParseVersion(version_text);
  if (!version) return ErrorResponse(version.error(), accept);
  const auto timeout = query.GetInt("timeoutSeconds");
  if (!timeout) return ErrorResponse(timeout.error(), accept);
  auto selection = Selection::Make(request->at, request->info.namespace_,
                                   query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), accept);

  WatchPlan plan{.selection = *std::move(selection)};
  plan.selectors.append(query.Get("labelSelector"))
      .append(1, '\0')
      .append(query.Get("fieldSelector"));
  plan.bookmarks = query.GetBool("allowWatchBookmarks").value_or(false);
  plan.timeout = std::chrono::seconds(timeout->value_or(0));
  if (plan.timeout <= Duration::zero()) {
    const Duration minimum = state_.options.min_watch_timeout;
    plan.timeout = minimum + Duration(static_cast<Duration::rep>(
                                 static_cast<double>(minimum.count()) * RandomUnit(state_.env)));
  }
  const std::optional<bool> initial = query.GetBool("sendInitialEvents");
  const bool any = version_text.empty() || version_text == "0";
  plan.initial_events = initial.value_or(any);
  plan.mark_end =
      plan.initial_events && plan.bookmarks && (initial.has_value() || state_.options.watch_list);
  const auto start = [this, request](WatchPlan final_plan) -> ResponsePtr {
    const ObjectEncoder encoder(request->at, request->format, state_.env.WallNow());
    const std::int64_t from = final_plan.resource_version;
    auto stream = std::make_unique<WatchStream>(state_, encoder, std::move(final_plan));
    if (!request->fault) return stream;
    return NewFaultyWatch(state_, encoder, from, *request->fault, std::move(stream));
  };

  const bool expired = Hits(*request, FaultAction::kOldResourceVersion);
  const std::int64_t floor = request->at.resource->store->floor();
  if (!any && !initial.value_or(false)) {
    plan.resource_version = *version;
    if (Hits(*request, FaultAction::kReplayEvents) && *version >= floor) {
      plan.resource_version = std::max(*version - request->fault->versions, floor);
    }
    if (*version < floor || expired) plan.error = TooOldResourceVersionError(*version, floor);
    return start(std::move(plan));
  }
  if (*version <= state_.resource_version) {
    plan.resource_version = state_.resource_version;
    if (Hits(*request, FaultAction::kStaleCache)) {
      plan.resource_version = Earlier(*request, std::max(*version, floor));
    }
    return start(std::move(plan));
  }
  return WhenVersionReached(state_, *version, state_.options.future_version_wait,
                            [this, start, plan, wanted = *version](bool reached) mutable {
                              plan.resource_version = state_.resource_version;
                              if (!reached)
                                plan.error =
                                    TooLargeResourceVersionError(wanted, state_.resource_version);
                              return start(std::move(plan));
                            });
}

}  // namespace kinformer::apiserver

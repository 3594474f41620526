// kinformer/internal/waiting_of.h
//
// WaitingOf: looks for requests that a controller has yet to reconcile.

#ifndef KINFORMER_INTERNAL_WAITING_OF_H_
#define KINFORMER_INTERNAL_WAITING_OF_H_

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/failing_requests.h"
#include "kinformer/internal/noted_queue.h"
#include "kinformer/internal/waiting_request.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer::internal {

// Returns the request with that text, if its type can be made of texts.
template <class R>
std::optional<R> RequestOfText(const std::string& text) {
  if constexpr (std::same_as<R, ObjectName>) {
    Result<ObjectName> name = SplitMetaNamespaceKey(text);
    if (!name) return std::nullopt;
    return *std::move(name);
  } else if constexpr (std::same_as<R, std::string>) {
    return text;
  } else {
    return std::nullopt;
  }
}

// Looks for the one with that text alone in a queue of more than ten thousand requests, since the
// queue's lock is held meanwhile.
template <class R, class Hash>
std::vector<WaitingRequest> WaitingOf(const PriorityQueue<R, Hash>& queue,
                                      const FailingRequests<R, Hash>& failing,
                                      const WaitingQuestion& question) {
  using State = WaitingRequest::State;
  constexpr std::size_t kMost = 10'000;
  std::vector<std::pair<R, WaitingRequest>> found;
  const std::optional<R> asked = question.own ? RequestOfText<R>(question.key) : std::nullopt;
  bool known = false;  // the queue has the one that is asked for
  NotedQueue::Look(queue, asked, kMost, [&](const NotedQueue::Seen& seen, const auto& item_of) {
    known = known || seen.asked;
    if (!seen.node.dirty && !seen.node.delayed) return;  // it runs
    const auto& causes = *static_cast<const CauseNote*>(seen.note);
    if (!seen.asked && !question.is_woken_by(causes)) return;
    WaitingRequest one;
    if (!seen.node.dirty) {
      one.state = State::kDelayed;
    } else {
      one.state = seen.node.processing ? State::kRunning : State::kInLine;
    }
    one.priority = seen.node.priority;
    one.ready_at = seen.ready_at;
    one.causes = causes.Copy();
    found.emplace_back(item_of(), std::move(one));
  });
  if (asked && !known && failing.Of(*asked).parked > 0) {
    found.emplace_back(*asked, WaitingRequest()).second.state = State::kParked;
  }
  std::vector<WaitingRequest> waiting;
  for (auto& [request, one] : found) {
    one.key = TextOf(request);
    one.paced = failing.IsPaced(request);
    FailedAttempts failed = failing.Of(request);
    one.attempts = failed.count;
    one.last_error = std::move(failed.last);
    waiting.push_back(std::move(one));
  }
  return waiting;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WAITING_OF_H_

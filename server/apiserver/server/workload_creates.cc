#include "apiserver/server/workload_creates.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

ResourceRequest RequestFor(const WriteTarget& target) {
  ResourceRequest request{.at = target.at, .user = target.user};
  request.content_type = "application/json";
  request.user_agent = "kube-controller-manager";
  RequestInfo& info = request.info;
  info.is_resource_request = true;
  info.verb = Verb::kCreate;
  info.group = target.at.resource->group;
  info.version = target.at.version->version;
  info.resource = target.at.resource->plural;
  info.namespace_ = target.namespace_;
  return request;
}

}  // namespace

void WorkloadCreates::Create(const WriteTarget& target, json::Value object,
                             std::function<void(Result<void> made)> done) {
  const std::uint64_t number = made_++;
  // Empty until it is known that the request waits for something.
  waiting_.emplace(number, nullptr);
  AsyncTicket ticket = Start<Result<void>>(
      state_.env, mutations_.CreateReviewed(RequestFor(target), std::move(object)),
      [this, number, done = std::move(done)](Result<void> made) {
        const AsyncTicket ended = std::move(waiting_.at(number));
        waiting_.erase(number);
        done(std::move(made));
      });
  if (const auto found = waiting_.find(number); found != waiting_.end()) {
    found->second = std::move(ticket);
  }
}

}  // namespace kinformer::apiserver

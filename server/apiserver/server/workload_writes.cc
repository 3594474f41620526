#include "apiserver/server/workload_writes.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

ResourceRequest RequestFor(const WriteTarget& target, Verb verb) {
  ResourceRequest request{.at = target.at, .user = target.user};
  request.content_type = "application/json";
  request.user_agent = "kube-controller-manager";
  RequestInfo& info = request.info;
  info.is_resource_request = true;
  info.verb = verb;
  info.group = target.at.resource->group;
  info.version = target.at.version->version;
  info.resource = target.at.resource->plural;
  info.subresource = target.subresource;
  info.namespace_ = target.namespace_;
  if (verb != Verb::kCreate) info.name = target.name;
  return request;
}

// Returns the DeleteOptions of the request, as webhooks see them.
json::Value OptionsOf(const DeleteRequest& request) {
  json::Value options = json::Value::MakeObject();
  if (request.grace_period_seconds) {
    options.Set("gracePeriodSeconds", *request.grace_period_seconds);
  }
  if (request.uid) {
    options.Set("preconditions", json::Value::MakeObject({{"uid", *request.uid}}));
  }
  if (!request.propagation.empty()) options.Set("propagationPolicy", request.propagation);
  return options;
}

}  // namespace

void WorkloadWrites::Create(const WriteTarget& target, json::Value object, Done done) {
  Run(mutations_.CreateReviewed(RequestFor(target, Verb::kCreate), std::move(object)),
      std::move(done));
}

void WorkloadWrites::Update(const WriteTarget& target, json::Value object, Done done) {
  Run(mutations_.UpdateReviewed(RequestFor(target, Verb::kUpdate), std::move(object)),
      std::move(done));
}

void WorkloadWrites::UpdateScale(const WriteTarget& target, const json::Value& object, Done done) {
  ResourceRequest request = RequestFor(target, Verb::kUpdate);
  request.info.subresource = "scale";
  Run(mutations_.ScaleReviewed(std::move(request), object["spec"]["replicas"]), std::move(done));
}

void WorkloadWrites::Bind(const WriteTarget& target, json::Value pod, Done done) {
  Run(mutations_.BindReviewed(RequestFor(target, Verb::kUpdate), std::move(pod)), std::move(done));
}

void WorkloadWrites::Delete(const WriteTarget& target, DeleteRequest request, Done done) {
  request.sent = OptionsOf(request);
  Run(mutations_.DeleteReviewed(RequestFor(target, Verb::kDelete), std::move(request)),
      std::move(done));
}

void WorkloadWrites::Run(Task<Result<void>> task, Done done) {
  const std::uint64_t number = made_++;
  // Empty until it is known that the request waits for something.
  waiting_.emplace(number, nullptr);
  AsyncTicket ticket = Start<Result<void>>(
      state_.env, std::move(task), [this, number, done = std::move(done)](Result<void> made) {
        const AsyncTicket ended = std::move(waiting_.at(number));
        waiting_.erase(number);
        done(std::move(made));
      });
  if (const auto found = waiting_.find(number); found != waiting_.end()) {
    found->second = std::move(ticket);
  }
}

}  // namespace kinformer::apiserver

#include "apiserver/conversion/object_converter.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "apiserver/conversion/conversion_review.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/conversion_webhook.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/webhook/webhook_call.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {

// One conversion; used by one step at a time, on any thread.
struct ObjectConverter::Work {
  Work(ServerState& state, const ResourceAt& to);

  Result<void> WriteQuestion();
  // Without a webhook, versions differ only in their fields.
  void PruneAll();
  // Reads the converted objects, and prunes the fields unknown to the version's schema.
  void ReadAnswer(const std::string& body);

  ResourceAt at;  // constant
  ConversionQuestion question{};
  std::vector<StoredObjectPtr> stored{};  // sources of the question's objects, if stored
  std::string text{};
  Result<std::vector<json::Value>> made = std::vector<json::Value>();
  std::vector<StoredObjectPtr> made_stored{};
};

namespace {

// Returns the version of an object's form; null: the definition dropped it.
const ServedVersion* VersionOf(const ServedResource& resource, std::uint32_t form) {
  for (const auto& version : resource.versions) {
    if (resource.FormOf(version->version) == form) return version.get();
  }
  return nullptr;
}

}  // namespace

ObjectConverter::Work::Work(ServerState& state, const ResourceAt& to) : at(Unchanging(to)) {
  const auto& webhook = at.resource->defined->webhook;
  if (webhook == nullptr) return;
  question = {.review = webhook->review,
              .uid = internal::base::NewUuid(state.env),
              .desired = at.version->api_version};
}

Result<void> ObjectConverter::Work::WriteQuestion() {
  const ServedResource& resource = *at.resource;
  for (const StoredObjectPtr& object : stored) {
    const ServedVersion* const from = VersionOf(resource, object->form());
    if (from == nullptr) {
      return Error(Reason::kUnknown, "request to convert CR from an invalid group/version: " +
                                         resource.group + "/" + (*resource.forms)[object->form()])
          .WithHttpStatus(500);
    }
    question.objects.push_back(object->Parse(from->api_version, from->kind));
  }
  text = ConversionReviewText(question);
  return {};
}

void ObjectConverter::Work::PruneAll() {
  for (const StoredObjectPtr& object : stored) made_stored.push_back(PrunedTo(at, *object));
}

void ObjectConverter::Work::ReadAnswer(const std::string& body) {
  const ServedResource& resource = *at.resource;
  const ServedVersion& version = *at.version;
  made = ReadConversionAnswer(body, question);
  if (!made) return;
  for (json::Value& object : *made) PruneObject(version.schema->root(), object);
  auto next = made->begin();
  for (const StoredObjectPtr& object : stored) {
    made_stored.push_back(StoredObject::Make(*next++, object->resource_version(), resource.fields,
                                             resource.FormOf(version.version)));
  }
}

Task<bool> ObjectConverter::Run(Work& work, std::size_t& bytes) {
  co_await NextTurn(state_);
  if (work.stored.empty() && work.question.objects.empty()) co_return true;
  const auto& webhook = work.at.resource->defined->webhook;
  if (webhook == nullptr) {
    co_await off_loop_.Do(bytes, [&] { work.PruneAll(); });
    co_return true;
  }
  const Result<void> written = co_await off_loop_.Do(bytes, [&] { return work.WriteQuestion(); });
  if (!written) {
    work.made = written.error();
    co_return true;
  }
  const Result<std::string> body =
      co_await CallWebhook(state_, webhook->place, std::move(work.text));
  if (!body) {
    work.made = ConversionError(work.question, "failed: " + body.error().message());
    co_return false;
  }
  // A short question may have a long answer.
  bytes = std::max(bytes, body->size());
  co_await off_loop_.Do(bytes, [&] { work.ReadAnswer(*body); });
  co_return true;
}

Task<Result<StoredObjectPtr>> ObjectConverter::Convert(ResourceAt at, StoredObjectPtr stored) {
  if (!MustConvert(at, *stored)) co_return stored;
  std::vector<StoredObjectPtr> objects = {std::move(stored)};
  ConvertedAll converted = co_await ConvertAll(std::move(at), std::move(objects));
  if (!converted.objects) co_return converted.objects.error();
  co_return std::move(converted.objects->front());
}

Task<ConvertedAll> ObjectConverter::ConvertAll(ResourceAt at,
                                               std::vector<StoredObjectPtr> objects) {
  std::size_t bytes = 0;
  Bulky<Work> work(state_, bytes, Work(state_, at));
  for (const StoredObjectPtr& stored : objects) {
    if (!MustConvert(at, *stored)) continue;
    bytes += stored->body().size();
    work->stored.push_back(stored);
  }
  const bool answered = co_await Run(*work, bytes);
  if (!work->made) co_return ConvertedAll{.objects = work->made.error(), .answered = answered};
  auto next = work->made_stored.begin();
  for (StoredObjectPtr& stored : objects) {
    if (MustConvert(work->at, *stored)) stored = std::move(*next++);
  }
  co_return ConvertedAll{.objects = std::move(objects), .answered = answered};
}

Task<Result<std::vector<json::Value>>> ObjectConverter::ConvertDocuments(
    ResourceAt at, std::size_t bytes, std::vector<json::Value> objects) {
  Bulky<Work> work(state_, bytes, Work(state_, at));
  work->question.objects = std::move(objects);
  co_await Run(*work, bytes);
  co_return std::move(work->made);
}

Task<Result<json::Value>> ObjectConverter::ConvertDocument(ResourceAt at, std::size_t bytes,
                                                           json::Value object) {
  std::vector<json::Value> objects;
  objects.push_back(std::move(object));
  Result<std::vector<json::Value>> made =
      co_await ConvertDocuments(std::move(at), bytes, std::move(objects));
  if (!made) co_return made.error();
  co_return std::move(made->front());
}

}  // namespace kinformer::apiserver

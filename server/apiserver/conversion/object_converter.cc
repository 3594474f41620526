#include "apiserver/conversion/object_converter.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/conversion/conversion_review.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/conversion_webhook.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/awaited.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/webhook/webhook_call.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {
namespace {

// Data of the work off the loop.
struct Work {
  ResourceAt at{};  // constant
  ConversionQuestion question{};
  std::vector<StoredObjectPtr> stored{};  // sources of the question's objects, if stored
  std::string text{};
  Result<std::vector<json::Value>> made = std::vector<json::Value>();
  std::vector<StoredObjectPtr> made_stored{};
  Result<void> problem{};
  bool answered = true;  // false: the webhook did not respond
};

// Returns the version of an object's form; null: the definition dropped it.
const ServedVersion* VersionOf(const ServedResource& resource, std::uint32_t form) {
  for (const auto& version : resource.versions) {
    if (resource.FormOf(version->version) == form) return version.get();
  }
  return nullptr;
}

Result<void> WriteQuestion(Work& work) {
  const ServedResource& resource = *work.at.resource;
  for (const StoredObjectPtr& stored : work.stored) {
    const ServedVersion* const from = VersionOf(resource, stored->form());
    if (from == nullptr) {
      return Error(Reason::kUnknown, "request to convert CR from an invalid group/version: " +
                                         resource.group + "/" + (*resource.forms)[stored->form()])
          .WithHttpStatus(500);
    }
    work.question.objects.push_back(stored->Parse(from->api_version, from->kind));
  }
  work.text = ConversionReviewText(work.question);
  return {};
}

// Without a webhook, versions differ only in their fields.
void PruneAll(Work& work) {
  for (const StoredObjectPtr& stored : work.stored) {
    work.made_stored.push_back(PrunedTo(work.at, *stored));
  }
}

// Reads the converted objects, and prunes the fields unknown to the version's schema.
void ReadAnswer(const std::string& body, Work& work) {
  const ServedResource& resource = *work.at.resource;
  const ServedVersion& version = *work.at.version;
  work.made = ReadConversionAnswer(body, work.question);
  if (!work.made) return;
  for (json::Value& object : *work.made) PruneObject(version.schema->root(), object);
  auto made = work.made->begin();
  for (const StoredObjectPtr& stored : work.stored) {
    work.made_stored.push_back(StoredObject::Make(
        *made++, stored->resource_version(), resource.fields, resource.FormOf(version.version)));
  }
}

class Conversion final : public std::enable_shared_from_this<Conversion> {
 public:
  using Done = std::function<void(Work& work)>;
  Conversion(ServerState& state, OffLoop& off_loop, Work work, std::size_t bytes, Done done)
      : state_(state),
        off_loop_(off_loop),
        work_(std::make_shared<Work>(std::move(work))),
        bytes_(bytes),
        done_(std::move(done)) {}

  void Begin() {
    if (work_->stored.empty() && work_->question.objects.empty()) return Finish();
    if (work_->at.resource->defined->webhook == nullptr) {
      return Do(bytes_, [work = work_] { PruneAll(*work); }, [this] { Finish(); });
    }
    Do(bytes_, [work = work_] { work->problem = WriteQuestion(*work); }, [this] { Ask(); });
  }

 private:
  // Runs `work` over `bytes`, off the loop if that is much, and then `then`.
  void Do(std::size_t bytes, std::function<void()> work, std::function<void()> then) {
    if (!OffLoop::IsMuch(bytes)) {
      work();
      return then();
    }
    under_way_ = off_loop_.Start(std::move(work), std::move(then));
  }

  void Ask() {
    if (!work_->problem) {
      work_->made = work_->problem.error();
      return Finish();
    }
    call_.emplace(state_, work_->at.resource->defined->webhook->place, std::move(work_->text),
                  [this](Result<std::string> body) { Read(std::move(body)); });
  }

  void Read(Result<std::string> body) {
    if (!body) {
      work_->made = ConversionError(work_->question, "failed: " + body.error().message());
      work_->answered = false;
      return Finish();
    }
    // A short question may have a long answer.
    const std::size_t bytes = std::max(bytes_, body->size());
    Do(
        bytes, [work = work_, text = *std::move(body)] { ReadAnswer(text, *work); },
        [this] { Finish(); });
  }

  void Finish() {
    const auto self = shared_from_this();  // `done` may release the last other reference
    const Done done = std::move(done_);
    done(*work_);
  }

  ServerState& state_;
  OffLoop& off_loop_;
  const std::shared_ptr<Work> work_;
  const std::size_t bytes_;
  Done done_;
  OffLoop::Ticket under_way_{};
  std::optional<WebhookCall> call_{};
};

Work WorkFor(ServerState& state, const ResourceAt& at) {
  const auto& webhook = at.resource->defined->webhook;
  Work work{.at = Unchanging(at)};
  if (webhook != nullptr) {
    work.question = {.review = webhook->review,
                     .uid = internal::base::NewUuid(state.env),
                     .desired = at.version->api_version};
  }
  return work;
}

ObjectConverter::Ticket Start(ServerState& state, OffLoop& off_loop, Work work, std::size_t bytes,
                              Conversion::Done done) {
  auto conversion =
      std::make_shared<Conversion>(state, off_loop, std::move(work), bytes, std::move(done));
  state.Post([weak = std::weak_ptr(conversion)] {
    if (const auto begun = weak.lock()) begun->Begin();
  });
  return conversion;
}

}  // namespace

ObjectConverter::Ticket ObjectConverter::Convert(const ResourceAt& at,
                                                 std::vector<StoredObjectPtr> objects, Done done) {
  Work work = WorkFor(state_, at);
  std::size_t bytes = 0;
  for (const StoredObjectPtr& stored : objects) {
    if (!MustConvert(at, *stored)) continue;
    bytes += stored->body().size();
    work.stored.push_back(stored);
  }
  return Start(state_, off_loop_, std::move(work), bytes,
               [objects = std::move(objects), done = std::move(done)](Work& made) mutable {
                 if (!made.made) return done(made.made.error(), made.answered);
                 auto next = made.made_stored.begin();
                 for (StoredObjectPtr& stored : objects) {
                   if (MustConvert(made.at, *stored)) stored = std::move(*next++);
                 }
                 done(std::move(objects), made.answered);
               });
}

ObjectConverter::Ticket ObjectConverter::ConvertDocuments(const ResourceAt& at, std::size_t bytes,
                                                          std::vector<json::Value> objects,
                                                          DocumentsDone done) {
  Work work = WorkFor(state_, at);
  work.question.objects = std::move(objects);
  return Start(state_, off_loop_, std::move(work), bytes,
               [done = std::move(done)](Work& made) { done(std::move(made.made)); });
}

ResponsePtr ObjectConverter::WhenConverted(
    const ResourceAt& at, const StoredObjectPtr& stored,
    std::function<ResponsePtr(Result<StoredObjectPtr> shown)> then) {
  if (!MustConvert(at, *stored)) return then(stored);
  auto answer = std::make_unique<Awaited>();
  answer->Hold(Convert(at, {stored},
                       [place = answer.get(), then = std::move(then)](
                           Result<std::vector<StoredObjectPtr>> made, bool) {
                         place->Answer(made ? then(std::move(made->front()))
                                            : then(std::move(made).error()));
                       }));
  return answer;
}

ResponsePtr ObjectConverter::WhenDocumentConverted(
    const ResourceAt& at, std::size_t bytes, json::Value object,
    std::function<ResponsePtr(Result<json::Value> made)> then) {
  auto answer = std::make_unique<Awaited>();
  std::vector<json::Value> objects;
  objects.push_back(std::move(object));
  answer->Hold(ConvertDocuments(
      at, bytes, std::move(objects),
      [place = answer.get(), then = std::move(then)](Result<std::vector<json::Value>> made) {
        place->Answer(made ? then(std::move(made->front())) : then(std::move(made).error()));
      }));
  return answer;
}

}  // namespace kinformer::apiserver

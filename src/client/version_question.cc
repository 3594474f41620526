#include "client/version_question.h"

#include <list>
#include <optional>
#include <utility>

#include "client/list_call.h"
#include "client/list_source.h"
#include "client/object_codec.h"
#include "client/request_path.h"

namespace kinformer::internal::client {
namespace {

// No object has this name: names consist of lower-case letters, digits, '-' and '.'.
constexpr const char* kNobody = "metadata.name=_NOBODY_";

// Longest time to wait for a slow server.
constexpr Duration kTimeout = std::chrono::seconds(10);

// Selects metadata of one object in one namespace: servers of any version then read one key.
Result<std::shared_ptr<ListSource>> OneKeyOf(const ListSource& source) {
  const TypeInfo& type = *source.type;
  std::string namespace_ = source.namespace_;
  if (namespace_.empty() && type.namespaced) namespace_ = "default";
  Result<std::string> path =
      BuildPath({type.group, type.version, type.resource, namespace_, "", ""});
  if (!path) return std::move(path).error();
  const TypeInfo* const metadata =
      MetadataTypeInfo(type.group, type.version, type.kind, type.resource, type.namespaced);
  return std::make_shared<ListSource>(ListSource{source.engine, metadata, *std::move(path),
                                                 /*metadata_only=*/true, /*throttled=*/false});
}

}  // namespace

// One caller. Destroying it cancels its question.
class VersionQuestions::Asker final : public ListWatchCall {
 public:
  Asker(std::shared_ptr<Question> question, std::shared_ptr<ListSource> source, Answer answer)
      : source_(std::move(source)), question_(std::move(question)), answer_(std::move(answer)) {}
  ~Asker() override;

  [[nodiscard]] const ListSource& source() const { return *source_; }
  // May destroy this.
  void Tell(const Result<std::string>& version) { std::exchange(answer_, {})(version); }

 private:
  const std::shared_ptr<ListSource> source_;
  const std::shared_ptr<Question> question_;
  Answer answer_;
};

// Requests for one resource, one after the other.
class VersionQuestions::Question final : public std::enable_shared_from_this<Question>,
                                         private ListReceiver {
 public:
  void Join(Asker& asker) {
    waiting_.push_back(&asker);
    BeginSoon();
  }
  void Leave(Asker& asker) {
    waiting_.remove(&asker);
    asked_.remove(&asker);
    if (!asked_.empty()) return;
    call_.reset();
    BeginSoon();
  }

 private:
  // Begins in the next turn, so that watches which break together share one request.
  void BeginSoon() {
    if (call_ != nullptr || begin_.armed() || waiting_.empty()) return;
    Env& env = waiting_.front()->source().engine->env();
    begin_ = env.loop().RunAt(env.Now(), [this] {
      begin_ = Timer();
      Begin();
    });
  }

  void Begin() {
    if (waiting_.empty()) return;
    asked_.swap(waiting_);
    const ListSource& source = asked_.front()->source();
    namespace_ = source.namespace_;
    Result<std::shared_ptr<ListSource>> key = OneKeyOf(source);
    if (!key) return Answered(key.error());
    ListReceiver& receiver = *this;
    auto call = std::make_unique<ListCall>(*std::move(key), receiver);
    ListCall& begun = *call;
    call_ = std::move(call);
    begun.StartAtOnce({.fieldSelector = kNobody}, kTimeout);
  }

  void Answered(const Result<std::string>& version) {
    const std::shared_ptr<Question> self = shared_from_this();
    // A refusal may concern only the namespace, so callers for other namespaces ask again.
    if (!version && version.error().http_status() != 0) {
      for (auto it = asked_.begin(); it != asked_.end();) {
        const auto next = std::next(it);
        if ((*it)->source().namespace_ != namespace_) waiting_.splice(waiting_.end(), asked_, it);
        it = next;
      }
    }
    while (!asked_.empty()) {
      Asker* const asker = asked_.front();
      asked_.pop_front();
      asker->Tell(version);
    }
    BeginSoon();
  }

  // ListReceiver
  void OnItem(ObjectRef) override {}
  void OnUnreadable(std::string_view, std::string_view, const Error&) override {}
  void OnDone(Result<ListMeta> result) override {
    call_.reset();
    if (!result) return Answered(std::move(result).error());
    Answered(std::move(result->resourceVersion));
  }

  std::list<Asker*> waiting_;  // for the next request
  std::list<Asker*> asked_;    // for the answer to the request under way
  std::string namespace_;      // namespace of the request under way
  Timer begin_;
  std::unique_ptr<ListWatchCall> call_;
};

VersionQuestions::Asker::~Asker() { question_->Leave(*this); }

VersionQuestions::VersionQuestions() = default;
VersionQuestions::~VersionQuestions() = default;

std::unique_ptr<ListWatchCall> VersionQuestions::Ask(std::shared_ptr<ListSource> source,
                                                     Answer answer) {
  std::shared_ptr<Question>& question = questions_[ResourceName(*source->type)];
  if (question == nullptr) question = std::make_shared<Question>();
  auto asker = std::make_unique<Asker>(question, std::move(source), std::move(answer));
  question->Join(*asker);
  return asker;
}

}  // namespace kinformer::internal::client

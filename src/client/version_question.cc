#include "client/version_question.h"

#include <iterator>
#include <list>
#include <utility>

namespace kinformer::internal::client {
// One caller. Destroying it cancels its question.
class VersionQuestions::Asker final : public ListWatchCall {
 public:
  Asker(std::shared_ptr<Question> question, VersionSource source, Answer answer)
      : source_(std::move(source)), question_(std::move(question)), answer_(std::move(answer)) {}
  ~Asker() override;

  [[nodiscard]] const VersionSource& source() const { return source_; }
  // May destroy this.
  void Tell(const Result<std::string>& version) { std::exchange(answer_, {})(version); }

 private:
  const VersionSource source_;
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
    Env& env = waiting_.front()->source().env;
    begin_ = env.loop().RunAt(env.Now(), [this] {
      begin_ = Timer();
      Begin();
    });
  }

  void Begin() {
    if (waiting_.empty()) return;
    asked_.swap(waiting_);
    const VersionSource& source = asked_.front()->source();
    namespace_ = source.namespace_;
    if (Result<void> sent = source.send(*this, call_); !sent) Answered(sent.error());
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
  void OnItem(AnyRef) override {}
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

std::unique_ptr<ListWatchCall> VersionQuestions::Ask(VersionSource source, Answer answer) {
  std::shared_ptr<Question>& question = questions_[source.resource];
  if (question == nullptr) question = std::make_shared<Question>();
  auto asker = std::make_unique<Asker>(question, std::move(source), std::move(answer));
  question->Join(*asker);
  return asker;
}

}  // namespace kinformer::internal::client

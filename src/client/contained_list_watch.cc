#include "client/contained_list_watch.h"

#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::client {
namespace {

constexpr char kName[] = "the lister watcher";

// A call that ends at once.
template <class Receiver>
class FailedCall final : public ListWatchCall {
 public:
  FailedCall(Env& env, Receiver& receiver, Error why)
      : timer_(env.loop().RunAt(env.Now(), [&receiver, why = std::move(why)]() mutable {
          receiver.OnDone(std::move(why));  // may destroy this
        })) {}

 private:
  Timer timer_;
};

}  // namespace

template <class Receiver, class Call>
std::unique_ptr<ListWatchCall> ContainedListWatch::Started(Receiver& receiver, Call call) {
  std::unique_ptr<ListWatchCall> started;
  Result<void> called = base::CallUser(env_, kName, [&] { started = call(); });
  if (started != nullptr) return started;
  return std::make_unique<FailedCall<Receiver>>(
      env_, receiver,
      called ? Error(Reason::kInternalError, std::string(kName) + " gave no call")
             : std::move(called).error());
}

std::unique_ptr<ListWatchCall> ContainedListWatch::List(const ListOptions& options,
                                                        ListReceiver& receiver) {
  return Started(receiver, [&] { return inner_.List(options, receiver); });
}

std::unique_ptr<ListWatchCall> ContainedListWatch::Watch(const ListOptions& options,
                                                         WatchReceiver& receiver) {
  return Started(receiver, [&] { return inner_.Watch(options, receiver); });
}

std::unique_ptr<ListWatchCall> ContainedListWatch::CurrentVersion(
    const std::function<void(Result<std::string> version)>& answer) {
  // Null is a valid answer: the ListerWatcher cannot do this.
  std::unique_ptr<ListWatchCall> started;
  (void)base::CallUser(env_, kName, [&] { started = inner_.CurrentVersion(answer); });
  return started;
}

std::unique_ptr<ListWatchCall> ContainedListWatch::ListMetadata(const std::string& namespace_,
                                                                const ListOptions& options,
                                                                ListReceiver& receiver) {
  std::unique_ptr<ListWatchCall> started;
  (void)base::CallUser(env_, kName,
                       [&] { started = inner_.ListMetadata(namespace_, options, receiver); });
  return started;
}

ListScope ContainedListWatch::Scope() const {
  ListScope scope;
  (void)base::CallUser(env_, kName, [&] { scope = inner_.Scope(); });
  return scope;
}

bool ContainedListWatch::SetEntryOptions(const EntryOptions& options) {
  bool taken = false;
  (void)base::CallUser(env_, kName, [&] { taken = inner_.SetEntryOptions(options); });
  return taken;
}

bool ContainedListWatch::IsWatchListSemanticsUnSupported() const {
  bool unsupported = true;
  (void)base::CallUser(env_, kName,
                       [&] { unsupported = inner_.IsWatchListSemanticsUnSupported(); });
  return unsupported;
}

void ContainedListWatch::WatchListDeclined() {
  (void)base::CallUser(env_, kName, [&] { inner_.WatchListDeclined(); });
}

std::string ContainedListWatch::Describe() const {
  std::string text = kName;
  (void)base::CallUser(env_, kName, [&] { text = inner_.Describe(); });
  return text;
}

}  // namespace kinformer::internal::client

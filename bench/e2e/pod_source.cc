#include "e2e/pod_source.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"

#include "demo/cluster_model.h"
#include "wire/protobuf_writer.h"

namespace kinformer::bench {
namespace {

using internal::ObjectRef;

constexpr std::size_t kPiece = 64;      // objects in a turn of the loop
constexpr std::size_t kSlice = 50'000;  // pods per model of a cluster
// All versions have the same number of digits.
constexpr std::uint64_t kFirstVersion = 100'000'000'000;

// Handle of a list or watch. Its destruction stops calls of the receiver.
template <class Receiver>
class Call final : public ListWatchCall {
 public:
  explicit Call(std::shared_ptr<Receiver*> receiver) : receiver_(std::move(receiver)) {}
  ~Call() override { *receiver_ = nullptr; }

 private:
  const std::shared_ptr<Receiver*> receiver_;
};

struct SourcePod {
  std::string message{};
  std::size_t version_at = 0;  // position in the message
  std::uint64_t version = kFirstVersion;
  // Position and size of its text in the noise, which is appended to the message.
  std::uint32_t noise_from = 0;
  std::uint32_t noise_size = 0;
};

std::string JsonOf(const demo::Operation& operation, std::size_t slice, std::size_t index) {
  json::Value pod = json::Parse(operation.json).OrExit();
  json::Value& metadata = pod.Ensure("metadata");
  // Models with different seeds may use the same name.
  if (slice > 0) metadata.Ensure("name") = operation.name + "-" + std::to_string(slice);
  std::string uid = std::to_string(index);
  uid = "7c9e6679-7425-40de-944b-" + std::string(12 - uid.size(), '0') + uid;
  metadata.Ensure("uid") = std::move(uid);
  metadata.Ensure("resourceVersion") = std::to_string(kFirstVersion);
  metadata.Ensure("creationTimestamp") = "2026-11-02T08:14:58Z";
  return pod.Dump();
}

std::vector<SourcePod> MakePods(std::size_t count) {
  std::vector<SourcePod> pods;
  pods.reserve(count);
  for (std::size_t slice = 0; pods.size() < count; ++slice) {
    const std::size_t wanted = std::min(kSlice, count - pods.size());
    demo::ClusterModel model(
        {.nodes = wanted / 100 + 1, .namespaces = 100, .pods = wanted, .seed = slice + 1});
    for (const demo::Operation& operation : model.Start()) {
      if (operation.resource != "pods" || pods.size() == count) continue;
      const ObjectRef block =
          internal::BuildFromJson(corev1::Pod::kind_info(), JsonOf(operation, slice, pods.size()))
              .OrExit();
      SourcePod& pod = pods.emplace_back();
      pod.message = block->payload();
      pod.version_at = pod.message.find(std::to_string(kFirstVersion));
    }
  }
  return pods;
}

}  // namespace

// Confined to the loop once an informer uses it.
class PodSource::State : public std::enable_shared_from_this<PodSource::State> {
 public:
  State(Env& env, std::size_t pods) : env_(env), pods_(MakePods(pods)) {
    for (std::size_t i = 0; i < 8192; ++i) noise_ += "0123456789abcdef"[random_() % 16];
    for (std::uint32_t i = 0; i < pods_.size(); ++i) {
      there_.push_back(i);
      Change(pods_[i], version_);
    }
  }
  [[nodiscard]] std::size_t size() const { return there_.size(); }

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) {
    next_ = options.continue_.empty() ? 0 : std::stoul(options.continue_);
    const bool pages = options.limit > 0 && options.resourceVersion != "0";
    page_end_ = pages ? std::min(next_ + static_cast<std::size_t>(options.limit), size()) : size();
    Go();
    list_ = std::make_shared<ListReceiver*>(&receiver);
    return std::make_unique<Call<ListReceiver>>(list_);
  }
  std::unique_ptr<ListWatchCall> Watch(WatchReceiver& receiver) {
    started_ = false;
    Go();
    watch_ = std::make_shared<WatchReceiver*>(&receiver);
    return std::make_unique<Call<WatchReceiver>>(watch_);
  }

  void Expire(bool change) {
    ++version_;
    if (change) {
      for (const std::uint32_t i : there_) Change(pods_[i], version_);
    }
    expired_ = true;
    Go();
  }
  void Update(std::size_t events) {
    updates_ += events;
    Go();
  }
  void DeleteAllBut(std::size_t left) {
    deletions_ = size() - left;
    Go();
  }

 private:
  void Go() {
    if (std::exchange(going_, true)) return;
    env_.loop().Post([self = shared_from_this()] {
      self->going_ = false;
      self->Turn();
    });
  }
  void Turn() {
    if (*list_ != nullptr) return SendItems();
    if (*watch_ == nullptr) return;
    if (!std::exchange(started_, true)) (*watch_)->OnStarted();
    if (std::exchange(expired_, false)) {
      std::exchange(*watch_, nullptr)
          ->OnDone(Error(Reason::kExpired, "too old resource version").WithHttpStatus(410));
      return;
    }
    const std::shared_ptr<WatchReceiver*> watch = watch_;
    std::size_t sent = 0;
    for (; updates_ > 0 && sent < kPiece && *watch != nullptr; ++sent, --updates_) {
      SourcePod& pod = pods_[there_[random_() % size()]];
      Change(pod, ++version_);
      Send(**watch, WatchEventType::kModified, pod);
    }
    for (; deletions_ > 0 && sent < kPiece && *watch != nullptr; ++sent, --deletions_) {
      std::swap(there_[random_() % size()], there_.back());
      SourcePod& pod = pods_[there_.back()];
      there_.pop_back();
      pod.version = ++version_;
      Send(**watch, WatchEventType::kDeleted, pod);
    }
    if (sent == 0 || *watch == nullptr) return;
    (*watch)->OnChunkEnd();
    Go();
  }
  void SendItems() {
    const std::shared_ptr<ListReceiver*> list = list_;
    const std::size_t end = std::min(next_ + kPiece, page_end_);
    for (; next_ < end && *list != nullptr; ++next_) {
      (*list)->OnItem(Build(pods_[there_[next_]]));
    }
    if (*list == nullptr) return;
    (*list)->OnChunkEnd();
    if (next_ < page_end_) return Go();
    ListMeta meta;
    meta.resourceVersion = std::to_string(version_);
    if (next_ < size()) meta.continue_ = std::to_string(next_);
    std::exchange(*list, nullptr)->OnDone(std::move(meta));
  }
  void Send(WatchReceiver& watch, WatchEventType type, const SourcePod& pod) {
    ObjectRef object = Build(pod);
    const std::string version = std::to_string(pod.version);
    watch.OnEvent({.type = type, .object = std::move(object), .resourceVersion = version});
  }

  void Change(SourcePod& pod, std::uint64_t version) {
    pod.version = version;
    pod.noise_size = static_cast<std::uint32_t>(random_() % (pod.message.size() / 5));
    pod.noise_from = static_cast<std::uint32_t>(random_() % (noise_.size() - pod.noise_size));
  }
  ObjectRef Build(const SourcePod& pod) {
    bytes_ = pod.message;
    const std::string version = std::to_string(pod.version);
    bytes_.replace(pod.version_at, version.size(), version);
    if (pod.noise_size > 0) {
      wire::ProtobufWriter(bytes_).BytesField(
          100, std::string_view(noise_).substr(pod.noise_from, pod.noise_size));
    }
    return internal::BuildFromProtobuf(corev1::Pod::kind_info(), bytes_).OrExit();
  }

  Env& env_;
  std::vector<SourcePod> pods_;
  std::vector<std::uint32_t> there_;  // indexes of pods that are not deleted
  std::minstd_rand random_{1};
  std::string noise_;
  std::string bytes_;
  std::uint64_t version_ = kFirstVersion;

  // The latest list and watch; null when they are over.
  std::shared_ptr<ListReceiver*> list_ = std::make_shared<ListReceiver*>(nullptr);
  std::shared_ptr<WatchReceiver*> watch_ = std::make_shared<WatchReceiver*>(nullptr);
  std::size_t next_ = 0;
  std::size_t page_end_ = 0;
  bool started_ = false;
  bool going_ = false;  // a turn is posted
  bool expired_ = false;
  std::size_t updates_ = 0;
  std::size_t deletions_ = 0;
};

class PodSource::Watcher final : public ListerWatcher {
 public:
  explicit Watcher(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return state_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& /*options*/,
                                       WatchReceiver& receiver) override {
    return state_->Watch(receiver);
  }
  bool SetEntryOptions(const EntryOptions& /*options*/) override { return false; }
  bool IsWatchListSemanticsUnSupported() const override { return true; }
  std::string Describe() const override { return "pods"; }

 private:
  const std::shared_ptr<State> state_;
};

PodSource::PodSource(Env& env, std::size_t pods)
    : env_(env), state_(std::make_shared<State>(env, pods)), left_(pods), version_(kFirstVersion) {}
PodSource::~PodSource() = default;

std::unique_ptr<ListerWatcher> PodSource::NewListWatch() {
  return std::make_unique<Watcher>(state_);
}

std::string PodSource::Expire(bool change) {
  env_.loop().Post([state = state_, change] { state->Expire(change); });
  return std::to_string(++version_);
}

std::string PodSource::Update(std::size_t events) {
  env_.loop().Post([state = state_, events] { state->Update(events); });
  return std::to_string(version_ += events);
}

std::string PodSource::DeleteAllBut(std::size_t left) {
  env_.loop().Post([state = state_, left] { state->DeleteAllBut(left); });
  version_ += left_ - left;
  left_ = left;
  return std::to_string(version_);
}

}  // namespace kinformer::bench

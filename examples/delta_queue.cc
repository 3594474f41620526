// A queue of changes between a Reflector and a thread of the program, which takes them one by one
// and may block. The consumer keeps its state in a std::map; the queue queries it to find objects
// that a new list lacks.

#include <iostream>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <syncstream>
#include <thread>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Deltas;
using kinformer::DeltaType;
using kinformer::Ref;
using kinformer::Result;

class KnownPods final : public kinformer::KeyListerGetter<corev1::Pod> {
 public:
  [[nodiscard]] std::vector<std::string> ListKeys() const override {
    std::vector<std::string> keys;
    for (const auto& [key, pod] : pods_) keys.push_back(key);
    return keys;
  }
  [[nodiscard]] Ref<corev1::Pod> GetByKey(std::string_view key) const override {
    const auto it = pods_.find(std::string(key));
    return it == pods_.end() ? Ref<corev1::Pod>() : it->second;
  }

  // Everything that has happened to one pod since it was last here.
  Result<void> Process(const Deltas<corev1::Pod>& deltas, bool is_in_initial_list) {
    const std::string key = kinformer::Queue<corev1::Pod>::KeyOf(deltas);
    const kinformer::Delta<corev1::Pod>& newest = deltas.back();
    if (!newest.object) return {};
    const bool gone = newest.type == DeltaType::kDeleted;
    std::osyncstream(std::cout) << (gone ? "- " : "= ") << key
                                << (is_in_initial_list ? " (first list)" : "") << std::endl;
    if (gone) {
      pods_.erase(key);
    } else {
      pods_[key] = newest.object;
    }
    return {};
  }

 private:
  std::map<std::string, Ref<corev1::Pod>> pods_;
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  auto known = std::make_shared<KnownPods>();
  auto queue = std::make_shared<kinformer::DeltaFIFO<corev1::Pod>>(
      client.env(), kinformer::DeltaFIFOOptions<corev1::Pod>{.known_objects = known});

  std::thread consumer([&] {
    bool told = false;
    while (queue->Pop([&](const Deltas<corev1::Pod>& deltas, bool is_in_initial_list) {
      return known->Process(deltas, is_in_initial_list);
    })) {
      if (queue->HasSynced() && !told) {
        std::osyncstream(std::cout)
            << "synced: " << known->ListKeys().size() << " pods" << std::endl;
        told = true;
      }
    }
  });

  kinformer::Reflector<corev1::Pod> reflector(client.env(),
                                              kinformer::NewListWatch<corev1::Pod>(client), queue);
  reflector.Run(stop.token()).OrExit();
  queue->Close();
  consumer.join();
}

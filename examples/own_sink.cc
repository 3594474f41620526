// A sink of the program's own for a SnapshotFeed: it counts the pods of each namespace, and prints
// the numbers with the version at which they hold.

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "kinformer/base.h"
#include "kinformer/client.h"
#include "kinformer/sinks/snapshot_feed.h"

using kinformer::Result;

class PodsPerNamespace final : public kinformer::SnapshotSink {
 public:
  Result<void> Commit(const kinformer::SinkBatch& batch) override {
    if (batch.complete) namespace_of_.clear();
    for (const kinformer::SinkChange& change : batch.changes) {
      if (change.removes()) {
        namespace_of_.erase(change.Key());
      } else {
        namespace_of_[change.Key()] = change.namespace_();
      }
    }
    std::map<std::string, int> counts;
    for (const auto& [key, name] : namespace_of_) ++counts[name];
    for (const auto& [name, count] : counts) std::cout << name << ": " << count << " pods, ";
    std::cout << "at version " << batch.to << std::endl;
    return {};
  }

 private:
  std::map<std::string, std::string> namespace_of_;
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SnapshotFeed feed(client.env(), std::make_shared<PodsPerNamespace>());
  feed.Add({.name = "pods"}, kinformer::NewListWatch(client, {"", "v1", "pods"}));
  feed.Run(stop.token()).OrExit();
}

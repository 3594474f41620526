// soak/follower.h
//
// Follower: an informer of all ConfigMaps whose handler writes down what it is told, so that both
// can be compared with the server.

#ifndef KINFORMER_TEST_SOAK_FOLLOWER_H_
#define KINFORMER_TEST_SOAK_FOLLOWER_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/client.h"
#include "kinformer/ref.h"
#include "kinformer/shared_informer.h"

namespace kinformer::testing {

// What the server has, by key.
using ServerState = std::map<std::string, Ref<corev1::ConfigMap>>;

// Lists it. Objects compare by their bytes with those of informers whose client speaks the same
// encoding.
ServerState ListServer(const Client& client);

// Belongs to one thread.
class Follower {
 public:
  // `number` chooses the options, so that ten followers have about all combinations of list and
  // watch-list, queue, and overflow policy.
  Follower(const Client& client, int number);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Waits until the cache has all up to `version`, and the handler all that is in the cache; then
  // compares with `server`, the cache by key, uid, resourceVersion and bytes. Gives what is wrong,
  // and empty text where nothing is.
  [[nodiscard]] std::string Check(const std::string& version, const ServerState& server,
                                  std::chrono::steady_clock::time_point deadline) const;
  [[nodiscard]] InformerStatus Status() const { return informer_.Status(); }
  [[nodiscard]] InformerStats Stats() const { return informer_.Stats(); }

 private:
  class Told;

  [[nodiscard]] std::string CheckCache(const ServerState& server) const;
  [[nodiscard]] std::string CheckHandler(const ServerState& server,
                                         std::chrono::steady_clock::time_point deadline) const;

  SharedInformer<corev1::ConfigMap> informer_;
  const std::shared_ptr<Told> told_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_FOLLOWER_H_

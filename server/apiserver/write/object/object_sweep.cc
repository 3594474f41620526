#include "apiserver/write/object/object_sweep.h"

#include <cstddef>
#include <vector>

namespace kinformer::apiserver {
namespace {

// Objects gathered before they are visited, and the limit of objects for one turn, in case the
// clock does not advance.
constexpr std::size_t kBatch = 16;
constexpr std::size_t kMostLooks = 512;

}  // namespace

bool ObjectSweep::Run(const ResourceStore& store, std::int64_t resource_version,
                      const internal::base::WorkSlice& turn,
                      const std::function<bool(const StoredObject&)>& fits,
                      const std::function<bool(const StoredObject&)>& visit) {
  for (std::size_t looks = 0;;) {
    std::vector<StoredObjectPtr> found;
    bool walked = true;
    store.Walk(prefix_, next_, resource_version, [&](const StoredObjectPtr& stored) {
      const bool pause = found.size() == kBatch || looks >= kMostLooks ||
                         (looks > 0 && looks % kBatch == 0 && turn.over());
      if (pause) {
        next_ = stored->key();
        walked = false;
        return false;
      }
      ++looks;
      if (fits(*stored)) found.push_back(stored);
      return true;
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!visit(*found[i])) return true;
      // A single visit may take long.
      if (i + 1 < found.size() && turn.over()) {
        next_ = found[i + 1]->key();
        return false;
      }
    }
    if (walked) return true;
    if (looks >= kMostLooks || turn.over()) return false;
  }
}

}  // namespace kinformer::apiserver

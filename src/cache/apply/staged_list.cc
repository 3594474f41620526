#include "cache/apply/staged_list.h"

#include <algorithm>
#include <unordered_map>

#include "kinformer/cache/resource_event_handler.h"

namespace kinformer::internal::cache {
namespace {

// Compares in the order of etcd keys, "namespace/name": "app-dev/x" comes before "app/x".
bool ComesBefore(const Block& a, const Block& b) {
  const std::string_view x = a.namespace_();
  const std::string_view y = b.namespace_();
  const std::size_t common = std::min(x.size(), y.size());
  const int order = x.substr(0, common).compare(y.substr(0, common));
  if (order != 0) return order < 0;
  if (x.size() < y.size()) return '/' < y[common];
  if (y.size() < x.size()) return x[common] < '/';
  return a.name() < b.name();
}

}  // namespace

void StagedList::Clear() {
  objects_.clear();
  in_order_ = true;
  look_at_ = kFirstLook;
  unreadable_.clear();
  left_out_ = {};
  removals_.clear();
}

void StagedList::ForgetUnreadable(std::string_view namespace_, std::string_view name) {
  const auto found = unreadable_.find(BorrowedName{namespace_, name});
  if (found != unreadable_.end()) unreadable_.erase(found);
}

void StagedList::Add(ObjectRef object) {
  ForgetUnreadable(object->namespace_(), object->name());
  left_out_.Erase(object->namespace_(), object->name());
  in_order_ = in_order_ && (objects_.empty() || ComesBefore(*objects_.back(), *object));
  objects_.push_back(std::move(object));
  if (in_order_ || objects_.size() < look_at_) return;
  TakeOutRemoved();
  TakeOutRepeated();
  look_at_ = std::max(kFirstLook, 2 * objects_.size());
}

void StagedList::AddUnreadable(ObjectName name) {
  left_out_.Erase(name.namespace_, name.name);
  unreadable_.insert(std::move(name));
}

void StagedList::LeaveOut(std::string_view namespace_, std::string_view name) {
  ForgetUnreadable(namespace_, name);
  left_out_.Insert(namespace_, name);
}

void StagedList::Remove(ObjectName name) {
  unreadable_.erase(name);
  left_out_.Erase(name.namespace_, name.name);
  removals_.emplace_back(std::move(name), objects_.size());
}

void StagedList::TakeOutRemoved() {
  if (removals_.empty()) return;
  std::unordered_map<ObjectName, std::size_t> removed;
  for (auto& [name, position] : std::exchange(removals_, {})) removed[name] = position;
  std::size_t i = 0;
  std::erase_if(objects_, [&](const ObjectRef& object) {
    const auto it = removed.find(NameOf(*object));
    return i++ < (it == removed.end() ? 0 : it->second);
  });
}

void StagedList::TakeOutRepeated() {
  std::unordered_map<ObjectName, std::size_t> last;
  for (std::size_t i = 0; i < objects_.size(); ++i) last[NameOf(*objects_[i])] = i;
  if (last.size() == objects_.size()) return;
  std::size_t i = 0;
  std::erase_if(objects_, [&](const ObjectRef& object) { return last.at(NameOf(*object)) != i++; });
}

void StagedList::Finish() {
  TakeOutRemoved();
  if (left_out_.empty()) return;
  std::erase_if(objects_, [&](const ObjectRef& object) {
    return left_out_.Contains(object->namespace_(), object->name());
  });
}

std::vector<ObjectName> StagedList::TakeUnreadable() {
  std::vector<ObjectName> names(unreadable_.begin(), unreadable_.end());
  unreadable_.clear();
  return names;
}

}  // namespace kinformer::internal::cache

// object/values/object_key.h
//
// Keys of objects: "namespace/name", or "name" where there is no namespace. Joined and split here
// and nowhere else; ObjectName (kinformer/object/object_name.h) is the same with its parts apart.

#ifndef KINFORMER_OBJECT_VALUES_OBJECT_KEY_H_
#define KINFORMER_OBJECT_VALUES_OBJECT_KEY_H_

#include <string>
#include <string_view>
#include <utility>

namespace kinformer::internal {

inline void AppendObjectKey(std::string_view namespace_, std::string_view name, std::string& out) {
  if (!namespace_.empty()) {
    out.append(namespace_);
    out.push_back('/');
  }
  out.append(name);
}

inline std::string ObjectKey(std::string_view namespace_, std::string_view name) {
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  AppendObjectKey(namespace_, name, key);
  return key;
}

// Returns namespace and name as views into the key. The part behind the first slash is the name,
// and is not checked; SplitMetaNamespaceKey checks it.
inline std::pair<std::string_view, std::string_view> SplitObjectKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {{}, key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_OBJECT_KEY_H_

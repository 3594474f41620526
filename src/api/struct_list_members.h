// api/struct_list_members.h
//
// The functions of StructList, for the sources that instantiate them: each generated source those
// of its structs.

#ifndef KINFORMER_API_STRUCT_LIST_MEMBERS_H_
#define KINFORMER_API_STRUCT_LIST_MEMBERS_H_

#include <utility>

#include "kinformer/object/struct_list.h"

namespace kinformer {

template <class T>
StructList<T>::StructList() noexcept = default;
template <class T>
StructList<T>::StructList(std::initializer_list<T> items) : std::vector<T>(items) {}
template <class T>
StructList<T>::StructList(const std::vector<T>& items) : std::vector<T>(items) {}
template <class T>
StructList<T>::StructList(std::vector<T>&& items) noexcept : std::vector<T>(std::move(items)) {}
template <class T>
StructList<T>::StructList(const StructList& other) = default;
template <class T>
StructList<T>::StructList(StructList&& other) noexcept = default;
template <class T>
StructList<T>& StructList<T>::operator=(std::initializer_list<T> items) {
  std::vector<T>::operator=(std::vector<T>(items));
  return *this;
}
template <class T>
StructList<T>& StructList<T>::operator=(const std::vector<T>& items) {
  if (this != &items) std::vector<T>::operator=(std::vector<T>(items));
  return *this;
}
template <class T>
StructList<T>& StructList<T>::operator=(std::vector<T>&& items) noexcept {
  std::vector<T>::operator=(std::move(items));
  return *this;
}
// Made anew and moved: an assignment of each T is one function more, and larger than both.
template <class T>
StructList<T>& StructList<T>::operator=(const StructList& other) {
  return *this = static_cast<const std::vector<T>&>(other);
}
template <class T>
StructList<T>& StructList<T>::operator=(StructList&& other) noexcept = default;
template <class T>
StructList<T>::~StructList() = default;

template <class T>
T& StructList<T>::emplace_back() {
  return std::vector<T>::emplace_back();
}
template <class T>
void StructList<T>::push_back(const T& item) {
  std::vector<T>::push_back(item);
}
template <class T>
void StructList<T>::push_back(T&& item) {
  std::vector<T>::push_back(std::move(item));
}

}  // namespace kinformer

#endif  // KINFORMER_API_STRUCT_LIST_MEMBERS_H_

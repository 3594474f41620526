// kinformer/object/struct_list.h
//
// StructList<T>: the std::vector that a generated struct has for a list of structs, such as
// pod.spec.containers. How it is made, copied, grown and destroyed is compiled in the library, not
// in each file that has a struct with such a list.

#ifndef KINFORMER_OBJECT_STRUCT_LIST_H_
#define KINFORMER_OBJECT_STRUCT_LIST_H_

#include <initializer_list>
#include <vector>

namespace kinformer {

// A std::vector with all of its functions, which converts from and to std::vector<T>. T is a struct
// of which the API has lists, and may be incomplete where a StructList is a member. For structs of
// your own use std::vector. Thread-compatible.
template <class T>
class StructList : public std::vector<T> {
 public:
  // NOLINTBEGIN(google-explicit-constructor): made of what a std::vector is made of
  StructList() noexcept;
  StructList(std::initializer_list<T> items);
  StructList(const std::vector<T>& items);
  StructList(std::vector<T>&& items) noexcept;
  // NOLINTEND(google-explicit-constructor)
  StructList(const StructList& other);
  StructList(StructList&& other) noexcept;
  StructList& operator=(std::initializer_list<T> items);
  StructList& operator=(const std::vector<T>& items);
  StructList& operator=(std::vector<T>&& items) noexcept;
  StructList& operator=(const StructList& other);
  StructList& operator=(StructList&& other) noexcept;
  ~StructList();

  using std::vector<T>::emplace_back;
  T& emplace_back();
  void push_back(const T& item);
  void push_back(T&& item);
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_STRUCT_LIST_H_

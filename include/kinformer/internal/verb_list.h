// kinformer/internal/verb_list.h
//
// Verbs of a built-in resource that differ from those of a ResourceClient: those that the server
// lacks, which are hidden behind a message, and those for parts of an object. Generated headers
// (kinformer/clientset/) list them, and TypedClient puts them on a ResourceClient.

#ifndef KINFORMER_INTERNAL_VERB_LIST_H_
#define KINFORMER_INTERNAL_VERB_LIST_H_

#include <type_traits>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/resource_client_misuse.h"

namespace kinformer::internal {

// A verb is a class over a `Base`, for a kind T. `kAsync`: Base is an AsyncResourceClient.
template <template <bool kAsync, class T, class Base> class... Verbs>
struct VerbList {};

// The class that has Base's methods and those of a list.
template <bool kAsync, class T, class Base, class List>
struct Extended;
template <bool kAsync, class T, class Base>
struct Extended<kAsync, T, Base, VerbList<>> {
  using Type = Base;
};
template <bool kAsync, class T, class Base, template <bool, class, class> class First,
          template <bool, class, class> class... Rest>
struct Extended<kAsync, T, Base, VerbList<First, Rest...>> {
  using Type = First<kAsync, T, typename Extended<kAsync, T, Base, VerbList<Rest...>>::Type>;
};

template <bool kAsync, class T, class Base, class List>
using WithVerbs = typename Extended<kAsync, T, Base, List>::Type;

// ---- The verbs of a kind: the headers of clientsets declare a VerbsOf for each of theirs.

// The answer for all others.
struct NoVerbs {
  using List = VerbList<>;
};
template <class T>
NoVerbs VerbsOf(const T* kind);
template <class T>
using VerbsOfKind = decltype(VerbsOf(static_cast<const T*>(nullptr)));

template <class Verbs>
struct ListOf {
  static_assert(!std::is_same_v<Verbs, NoVerbs>,
                "the verbs of a kind are in the header of its version, such as "
                "\"kinformer/clientset/corev1.h\": include that");
  using Type = typename Verbs::List;
};
template <class Verbs>
using ListOfVerbs = typename ListOf<Verbs>::Type;

// ---- Verbs that the server does not have. Each hides the method of the base.

template <bool kAsync, class T, class Base>
class NoCreate : public Base {
 public:
  using Base::Base;
  void Create(const AnyArgument& object = {}, const AnyArgument& options = {},
              const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no create for this resource");
};

template <bool kAsync, class T, class Base>
class NoUpdate : public Base {
 public:
  using Base::Base;
  void Update(const AnyArgument& object = {}, const AnyArgument& options = {},
              const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no update for this resource");
};

template <bool kAsync, class T, class Base>
class NoPatch : public Base {
 public:
  using Base::Base;
  void Patch(const AnyArgument& name = {}, const AnyArgument& patch = {},
             const AnyArgument& options = {}, const AnyArgument& subresource = {},
             const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no patch for this resource");
  void Apply(const AnyArgument& object = {}, const AnyArgument& options = {},
             const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no patch for this resource, and so no apply");
};

template <bool kAsync, class T, class Base>
class NoDelete : public Base {
 public:
  using Base::Base;
  void Delete(const AnyArgument& name = {}, const AnyArgument& options = {},
              const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no delete for this resource");
  void DeleteForAnswer(const AnyArgument& name = {}, const AnyArgument& options = {},
                       const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no delete for this resource");
};

template <bool kAsync, class T, class Base>
class NoDeleteCollection : public Base {
 public:
  using Base::Base;
  void DeleteCollection(const AnyArgument& options = {}, const AnyArgument& list = {},
                        const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE(
          "the API has no deletecollection for this resource: List, and Delete each");
};

template <bool kAsync, class T, class Base>
class NoGet : public Base {
 public:
  using Base::Base;
  void Get(const AnyArgument& name = {}, const AnyArgument& options = {},
           const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no get for this resource");
};

template <bool kAsync, class T, class Base>
class NoList : public Base {
 public:
  using Base::Base;
  void List(const AnyArgument& options = {}, const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no list for this resource");
  void ListPage(const AnyArgument& options = {}, const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no list for this resource");
};

template <bool kAsync, class T, class Base>
class NoWatch : public Base {
 public:
  using Base::Base;
  void Watch(const AnyArgument& options = {}, const AnyArgument& on_event = {},
             const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no watch for this resource");
};

template <bool kAsync, class T, class Base>
class NoStatus : public Base {
 public:
  using Base::Base;
  void UpdateStatus(const AnyArgument& object = {}, const AnyArgument& options = {},
                    const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no status of its own for this resource");
  void ApplyStatus(const AnyArgument& object = {}, const AnyArgument& options = {},
                   const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE("the API has no status of its own for this resource");
};

// ---- Verbs for parts of an object, in subresource_verbs.h and async_subresource_verbs.h.

template <bool kAsync, class T, class Base>
class ScaleVerbs;
template <bool kAsync, class T, class Base>
class EvictionVerb;
template <bool kAsync, class T, class Base>
class BindingVerb;
template <bool kAsync, class T, class Base>
class TokenVerb;
template <bool kAsync, class T, class Base>
class ApprovalVerb;
template <bool kAsync, class T, class Base>
class EphemeralContainersVerb;
template <bool kAsync, class T, class Base>
class ResizeVerb;
template <bool kAsync, class T, class Base>
class FinalizeVerb;
template <bool kAsync, class T, class Base>
class LogVerb;
template <bool kAsync, class T, class Base>
class ProxyVerb;

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_VERB_LIST_H_

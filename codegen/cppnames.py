"""What API names are called in C++, and the order in which types must stand."""

# Keywords, and what g++ defines as macros in its GNU dialects.
_KEYWORDS = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept
const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq linux unix
""".split())


def identifier(name):
    """The API's spelling; keywords get an underscore; `$ref` and `x-kubernetes-...` as words."""
    parts = name.lstrip("$").split("-")
    name = parts[0] + "".join(p[:1].upper() + p[1:] for p in parts[1:])
    return name + "_" if name in _KEYWORDS else name


# Views and values of meta/v1 that are written by hand, and where.
HAND_WRITTEN = {
    "ObjectMeta": "kinformer/object/object_meta.h",
    "OwnerReference": "kinformer/object/object_meta.h",
    "ManagedFieldsEntry": "kinformer/object/object_meta.h",
    # In kinformer/object/partial_object_metadata.h, which builds on this.
    "PartialObjectMetadata": "",
    "PartialObjectMetadataList": "",
}

VALUE_TYPES = {
    "time": ("metav1::Time", "kinformer/object/time.h"),
    "microtime": ("metav1::MicroTime", "kinformer/object/time.h"),
    "duration": ("metav1::Duration", "kinformer/object/time.h"),
    "quantity": ("resource::Quantity", "kinformer/object/quantity.h"),
    "intorstring": ("intstr::IntOrString", "kinformer/object/int_or_string.h"),
    "rawjson": ("runtime::RawExtension", "kinformer/object/raw_extension.h"),
}


def hand_written(message):
    return message.package.alias in ("metav1", "metav1beta1") and message.name in HAND_WRITTEN


def is_list_kind(message):
    """PodList: lists come apart in the client, nobody holds one."""
    return message.is_kind and message.name.endswith("List") and any(
        f.name == "items" and f.repeated for f in message.fields)


def ordered(messages, uses):
    """`messages` so that each stands behind those that `uses` gives for it, as far as that can be;
    and the set of those that are part of a circle."""
    index, low, stack, on_stack, out, circles = {}, {}, [], set(), [], set()
    members = {id(m) for m in messages}

    def visit(m):
        index[id(m)] = low[id(m)] = len(index)
        stack.append(m)
        on_stack.add(id(m))
        for n in uses(m):
            if id(n) not in members:
                continue
            if id(n) not in index:
                visit(n)
                low[id(m)] = min(low[id(m)], low[id(n)])
            elif id(n) in on_stack:
                low[id(m)] = min(low[id(m)], index[id(n)])
            if n is m:
                circles.add(id(m))
        if low[id(m)] == index[id(m)]:
            part = []
            while True:
                n = stack.pop()
                on_stack.discard(id(n))
                part.append(n)
                if n is m:
                    break
            if len(part) > 1:
                circles.update(id(n) for n in part)
            out.extend(part)

    for m in messages:
        if id(m) not in index:
            visit(m)
    return out, circles

// kinformer/internal/view.h
//
// What generated views are made of: a MessageView is a message inside a block, and the functions below read its fields in place.
// Nothing allocates; every read is bounds-checked; a malformed field reads as absent and is counted against its block.
//
// Generated code looks like this:
//
//   class PodSpec : public internal::MessageView {
//    public:
//     std::string_view nodeName() const KINFORMER_LIFETIMEBOUND { return internal::GetString(*this, 10); }
//     internal::Repeated<Container> containers() const { return internal::Repeated<Container>(*this, 2); }
//     std::optional<PodSecurityContext> securityContext() const { return internal::GetOptional<PodSecurityContext>(*this, 14); }
//   };

#ifndef KINFORMER_INTERNAL_VIEW_H_
#define KINFORMER_INTERNAL_VIEW_H_

// The contents are specified by the contract below and written by the owner of src/object:
//
// struct MessageView { const char* data; uint32_t size; uint8 encoding; uint8 child slot (0xff: no index); const Block* block; }
//   - 24 bytes at most, trivially copyable, default: empty message.
//   - a root view (class Pod) is 8 bytes: it holds a const Block*; its direct children come from the block's index.
//
// bool               Has(const MessageView&, uint32_t field);
// std::string_view   GetString(const MessageView&, uint32_t field);                 // absent: ""
// bool / int32_t / int64_t / double GetBool / GetInt32 / GetInt64 / GetDouble
// std::optional<X>   GetOptionalString/Bool/Int32/Int64/Double(const MessageView&, uint32_t field);
// template <class V> V GetMessage(const MessageView&, uint32_t field);              // absent: an empty V
// template <class V> std::optional<V> GetOptional(const MessageView&, uint32_t field);
// std::string_view   GetBytes
// template <class V> class Repeated: forward range; size(), empty(), operator[] (linear), V = a view class, std::string_view,
//                    int32_t, int64_t, double, bool, metav1::Time, resource::Quantity, ...
// class StringMap:   forward range of pair<string_view, string_view>; Find(key) -> optional<string_view>; contains; size; operator[]
// template <class V> class MessageMap: the same with V values (Quantity for ResourceList, bytes for Secret.data, messages)
//
// Value views: metav1::Time, metav1::MicroTime, metav1::Duration, resource::Quantity, intstr::IntOrString, runtime::RawExtension:
// hand-written classes constructible from MessageView, in metav1.h-like public headers of their own.

#endif  // KINFORMER_INTERNAL_VIEW_H_

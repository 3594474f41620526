// api/testing/oracle_schema.h
//
// Our descriptors for libprotobuf: OracleSchema makes message types from them at run time, and
// CanonicalText converts a message to a text that is equal for equal content, so that results of
// our readers can be compared with those of libprotobuf.

#ifndef KINFORMER_API_TESTING_ORACLE_SCHEMA_H_
#define KINFORMER_API_TESTING_ORACLE_SCHEMA_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/view.h"

namespace kinformer::testing {

// Thread-compatible.
class OracleSchema {
 public:
  OracleSchema();
  // Returns an empty message of this type. Aborts if libprotobuf refuses the schema.
  std::unique_ptr<google::protobuf::Message> New(const internal::MessageDescriptor& message);

 private:
  using Proto = google::protobuf::DescriptorProto;
  std::string Add(const internal::MessageDescriptor& message);
  std::string Special(internal::FieldKind kind);
  void SetType(const internal::FieldDescriptor& field,
               google::protobuf::FieldDescriptorProto& proto);

  google::protobuf::FileDescriptorProto file_;
  std::map<const void*, std::string> names_;
  std::map<std::string, const google::protobuf::Descriptor*> built_;
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_{&pool_};
  int files_ = 0;
};

// Zero and absent values have the same text if Go's type is not a pointer; nanoseconds of times are
// dropped where the API drops them. With `unknown`, the text includes fields that the schema lacks,
// at the end of their message.
std::string CanonicalText(const google::protobuf::Message& message,
                          const internal::MessageDescriptor& type, bool unknown);
// The same for the content that a view reads.
std::string CanonicalText(const internal::MessageView& message,
                          const internal::MessageDescriptor& type);

}  // namespace kinformer::testing

#endif  // KINFORMER_API_TESTING_ORACLE_SCHEMA_H_

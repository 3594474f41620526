// api/testing/oracle_schema.h
//
// Our descriptors as libprotobuf's: OracleSchema makes message types of them at run time, and
// CanonicalText writes a message in a form in which two messages that say the same are equal, so
// that what our readers find can be compared with what libprotobuf finds.

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
  // An empty message of that type. Aborts if libprotobuf refuses the schema.
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

// Zero and absent are the same where Go's type is no pointer; of times the nanoseconds that the API
// drops are dropped. With `unknown`, fields that the schema lacks stand at the end of their
// message.
std::string CanonicalText(const google::protobuf::Message& message,
                          const internal::MessageDescriptor& type, bool unknown);
// The same of what a view reads.
std::string CanonicalText(const internal::MessageView& message,
                          const internal::MessageDescriptor& type);

}  // namespace kinformer::testing

#endif  // KINFORMER_API_TESTING_ORACLE_SCHEMA_H_

// kinformer/factory_accessors.h
//
// Go's way to an informer or lister of a built-in kind:
//
//   SharedInformer<corev1::Pod> pods = factory.Core().V1().Pods().Informer();
//   Lister<appsv1::Deployment> deployments = factory.Apps().V1().Deployments().Lister();
//
// The names are those of client-go's informers package. The kinds are only declared here: a program includes the headers of the
// groups whose Informer() or Lister() it calls, and pays for no others.

#ifndef KINFORMER_FACTORY_ACCESSORS_H_
#define KINFORMER_FACTORY_ACCESSORS_H_

#include <utility>

#include "kinformer/shared_informer_factory.h"

namespace kinformer {

namespace corev1 {
class Pod;
class Node;
class Namespace;
class Service;
class Endpoints;
class ConfigMap;
class Secret;
class ServiceAccount;
class Event;
class PersistentVolume;
class PersistentVolumeClaim;
class ReplicationController;
class ResourceQuota;
class LimitRange;
class PodTemplate;
class ComponentStatus;
}  // namespace corev1

namespace appsv1 {
class Deployment;
class ReplicaSet;
class StatefulSet;
class DaemonSet;
class ControllerRevision;
}  // namespace appsv1

namespace batchv1 {
class Job;
class CronJob;
}  // namespace batchv1

namespace networkingv1 {
class Ingress;
class IngressClass;
class NetworkPolicy;
}  // namespace networkingv1

namespace discoveryv1 {
class EndpointSlice;
}  // namespace discoveryv1

namespace coordinationv1 {
class Lease;
}  // namespace coordinationv1

namespace rbacv1 {
class Role;
class RoleBinding;
class ClusterRole;
class ClusterRoleBinding;
}  // namespace rbacv1

namespace storagev1 {
class StorageClass;
class VolumeAttachment;
class CSIDriver;
class CSINode;
class CSIStorageCapacity;
}  // namespace storagev1

namespace policyv1 {
class PodDisruptionBudget;
}  // namespace policyv1

namespace autoscalingv1 {
class HorizontalPodAutoscaler;
}  // namespace autoscalingv1

namespace autoscalingv2 {
class HorizontalPodAutoscaler;
}  // namespace autoscalingv2

namespace schedulingv1 {
class PriorityClass;
}  // namespace schedulingv1

namespace eventsv1 {
class Event;
}  // namespace eventsv1

namespace nodev1 {
class RuntimeClass;
}  // namespace nodev1

namespace admissionregistrationv1 {
class ValidatingWebhookConfiguration;
class MutatingWebhookConfiguration;
class ValidatingAdmissionPolicy;
class ValidatingAdmissionPolicyBinding;
}  // namespace admissionregistrationv1

namespace certificatesv1 {
class CertificateSigningRequest;
}  // namespace certificatesv1

namespace accessors {

// One kind. Refers to its factory: use it within the expression. Counterpart: the generated PodInformer and its kin.
template <class T>
class Kind {
 public:
  explicit Kind(SharedInformerFactory& factory) : factory_(factory) {}
  // Templates, so that T need be complete only where they are called.
  template <class U = T>
  [[nodiscard]] SharedInformer<U> Informer(InformerOptions<U> options = {}) const {
    return factory_.InformerFor<U>(std::move(options));
  }
  template <class U = T>
  [[nodiscard]] kinformer::Lister<U> Lister() const {
    return Informer<U>().lister();
  }

 private:
  SharedInformerFactory& factory_;
};

// A step of the path from the factory to a kind.
class Step {
 public:
  explicit Step(SharedInformerFactory& factory) : factory_(factory) {}

 protected:
  SharedInformerFactory& factory_;
};

class CoreV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<corev1::Pod> Pods() const { return Kind<corev1::Pod>(factory_); }
  [[nodiscard]] Kind<corev1::Node> Nodes() const { return Kind<corev1::Node>(factory_); }
  [[nodiscard]] Kind<corev1::Namespace> Namespaces() const {
    return Kind<corev1::Namespace>(factory_);
  }
  [[nodiscard]] Kind<corev1::Service> Services() const { return Kind<corev1::Service>(factory_); }
  [[nodiscard]] Kind<corev1::Endpoints> Endpoints() const {
    return Kind<corev1::Endpoints>(factory_);
  }
  [[nodiscard]] Kind<corev1::ConfigMap> ConfigMaps() const {
    return Kind<corev1::ConfigMap>(factory_);
  }
  [[nodiscard]] Kind<corev1::Secret> Secrets() const { return Kind<corev1::Secret>(factory_); }
  [[nodiscard]] Kind<corev1::ServiceAccount> ServiceAccounts() const {
    return Kind<corev1::ServiceAccount>(factory_);
  }
  [[nodiscard]] Kind<corev1::Event> Events() const { return Kind<corev1::Event>(factory_); }
  [[nodiscard]] Kind<corev1::PersistentVolume> PersistentVolumes() const {
    return Kind<corev1::PersistentVolume>(factory_);
  }
  [[nodiscard]] Kind<corev1::PersistentVolumeClaim> PersistentVolumeClaims() const {
    return Kind<corev1::PersistentVolumeClaim>(factory_);
  }
  [[nodiscard]] Kind<corev1::ReplicationController> ReplicationControllers() const {
    return Kind<corev1::ReplicationController>(factory_);
  }
  [[nodiscard]] Kind<corev1::ResourceQuota> ResourceQuotas() const {
    return Kind<corev1::ResourceQuota>(factory_);
  }
  [[nodiscard]] Kind<corev1::LimitRange> LimitRanges() const {
    return Kind<corev1::LimitRange>(factory_);
  }
  [[nodiscard]] Kind<corev1::PodTemplate> PodTemplates() const {
    return Kind<corev1::PodTemplate>(factory_);
  }
  [[nodiscard]] Kind<corev1::ComponentStatus> ComponentStatuses() const {
    return Kind<corev1::ComponentStatus>(factory_);
  }
};
class Core : public Step {
 public:
  using Step::Step;
  [[nodiscard]] CoreV1 V1() const { return CoreV1(factory_); }
};

class AppsV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<appsv1::Deployment> Deployments() const {
    return Kind<appsv1::Deployment>(factory_);
  }
  [[nodiscard]] Kind<appsv1::ReplicaSet> ReplicaSets() const {
    return Kind<appsv1::ReplicaSet>(factory_);
  }
  [[nodiscard]] Kind<appsv1::StatefulSet> StatefulSets() const {
    return Kind<appsv1::StatefulSet>(factory_);
  }
  [[nodiscard]] Kind<appsv1::DaemonSet> DaemonSets() const {
    return Kind<appsv1::DaemonSet>(factory_);
  }
  [[nodiscard]] Kind<appsv1::ControllerRevision> ControllerRevisions() const {
    return Kind<appsv1::ControllerRevision>(factory_);
  }
};
class Apps : public Step {
 public:
  using Step::Step;
  [[nodiscard]] AppsV1 V1() const { return AppsV1(factory_); }
};

class BatchV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<batchv1::Job> Jobs() const { return Kind<batchv1::Job>(factory_); }
  [[nodiscard]] Kind<batchv1::CronJob> CronJobs() const { return Kind<batchv1::CronJob>(factory_); }
};
class Batch : public Step {
 public:
  using Step::Step;
  [[nodiscard]] BatchV1 V1() const { return BatchV1(factory_); }
};

class NetworkingV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<networkingv1::Ingress> Ingresses() const {
    return Kind<networkingv1::Ingress>(factory_);
  }
  [[nodiscard]] Kind<networkingv1::IngressClass> IngressClasses() const {
    return Kind<networkingv1::IngressClass>(factory_);
  }
  [[nodiscard]] Kind<networkingv1::NetworkPolicy> NetworkPolicies() const {
    return Kind<networkingv1::NetworkPolicy>(factory_);
  }
};
class Networking : public Step {
 public:
  using Step::Step;
  [[nodiscard]] NetworkingV1 V1() const { return NetworkingV1(factory_); }
};

class DiscoveryV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<discoveryv1::EndpointSlice> EndpointSlices() const {
    return Kind<discoveryv1::EndpointSlice>(factory_);
  }
};
class Discovery : public Step {
 public:
  using Step::Step;
  [[nodiscard]] DiscoveryV1 V1() const { return DiscoveryV1(factory_); }
};

class CoordinationV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<coordinationv1::Lease> Leases() const {
    return Kind<coordinationv1::Lease>(factory_);
  }
};
class Coordination : public Step {
 public:
  using Step::Step;
  [[nodiscard]] CoordinationV1 V1() const { return CoordinationV1(factory_); }
};

class RbacV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<rbacv1::Role> Roles() const { return Kind<rbacv1::Role>(factory_); }
  [[nodiscard]] Kind<rbacv1::RoleBinding> RoleBindings() const {
    return Kind<rbacv1::RoleBinding>(factory_);
  }
  [[nodiscard]] Kind<rbacv1::ClusterRole> ClusterRoles() const {
    return Kind<rbacv1::ClusterRole>(factory_);
  }
  [[nodiscard]] Kind<rbacv1::ClusterRoleBinding> ClusterRoleBindings() const {
    return Kind<rbacv1::ClusterRoleBinding>(factory_);
  }
};
class Rbac : public Step {
 public:
  using Step::Step;
  [[nodiscard]] RbacV1 V1() const { return RbacV1(factory_); }
};

class StorageV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<storagev1::StorageClass> StorageClasses() const {
    return Kind<storagev1::StorageClass>(factory_);
  }
  [[nodiscard]] Kind<storagev1::VolumeAttachment> VolumeAttachments() const {
    return Kind<storagev1::VolumeAttachment>(factory_);
  }
  [[nodiscard]] Kind<storagev1::CSIDriver> CSIDrivers() const {
    return Kind<storagev1::CSIDriver>(factory_);
  }
  [[nodiscard]] Kind<storagev1::CSINode> CSINodes() const {
    return Kind<storagev1::CSINode>(factory_);
  }
  [[nodiscard]] Kind<storagev1::CSIStorageCapacity> CSIStorageCapacities() const {
    return Kind<storagev1::CSIStorageCapacity>(factory_);
  }
};
class Storage : public Step {
 public:
  using Step::Step;
  [[nodiscard]] StorageV1 V1() const { return StorageV1(factory_); }
};

class PolicyV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<policyv1::PodDisruptionBudget> PodDisruptionBudgets() const {
    return Kind<policyv1::PodDisruptionBudget>(factory_);
  }
};
class Policy : public Step {
 public:
  using Step::Step;
  [[nodiscard]] PolicyV1 V1() const { return PolicyV1(factory_); }
};

class AutoscalingV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<autoscalingv1::HorizontalPodAutoscaler> HorizontalPodAutoscalers() const {
    return Kind<autoscalingv1::HorizontalPodAutoscaler>(factory_);
  }
};
class AutoscalingV2 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<autoscalingv2::HorizontalPodAutoscaler> HorizontalPodAutoscalers() const {
    return Kind<autoscalingv2::HorizontalPodAutoscaler>(factory_);
  }
};
class Autoscaling : public Step {
 public:
  using Step::Step;
  [[nodiscard]] AutoscalingV1 V1() const { return AutoscalingV1(factory_); }
  [[nodiscard]] AutoscalingV2 V2() const { return AutoscalingV2(factory_); }
};

class SchedulingV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<schedulingv1::PriorityClass> PriorityClasses() const {
    return Kind<schedulingv1::PriorityClass>(factory_);
  }
};
class Scheduling : public Step {
 public:
  using Step::Step;
  [[nodiscard]] SchedulingV1 V1() const { return SchedulingV1(factory_); }
};

class EventsV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<eventsv1::Event> Events() const { return Kind<eventsv1::Event>(factory_); }
};
class Events : public Step {
 public:
  using Step::Step;
  [[nodiscard]] EventsV1 V1() const { return EventsV1(factory_); }
};

class NodeV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<nodev1::RuntimeClass> RuntimeClasses() const {
    return Kind<nodev1::RuntimeClass>(factory_);
  }
};
class Node : public Step {
 public:
  using Step::Step;
  [[nodiscard]] NodeV1 V1() const { return NodeV1(factory_); }
};

class AdmissionregistrationV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<admissionregistrationv1::ValidatingWebhookConfiguration>
  ValidatingWebhookConfigurations() const {
    return Kind<admissionregistrationv1::ValidatingWebhookConfiguration>(factory_);
  }
  [[nodiscard]] Kind<admissionregistrationv1::MutatingWebhookConfiguration>
  MutatingWebhookConfigurations() const {
    return Kind<admissionregistrationv1::MutatingWebhookConfiguration>(factory_);
  }
  [[nodiscard]] Kind<admissionregistrationv1::ValidatingAdmissionPolicy>
  ValidatingAdmissionPolicies() const {
    return Kind<admissionregistrationv1::ValidatingAdmissionPolicy>(factory_);
  }
  [[nodiscard]] Kind<admissionregistrationv1::ValidatingAdmissionPolicyBinding>
  ValidatingAdmissionPolicyBindings() const {
    return Kind<admissionregistrationv1::ValidatingAdmissionPolicyBinding>(factory_);
  }
};
class Admissionregistration : public Step {
 public:
  using Step::Step;
  [[nodiscard]] AdmissionregistrationV1 V1() const { return AdmissionregistrationV1(factory_); }
};

class CertificatesV1 : public Step {
 public:
  using Step::Step;
  [[nodiscard]] Kind<certificatesv1::CertificateSigningRequest> CertificateSigningRequests() const {
    return Kind<certificatesv1::CertificateSigningRequest>(factory_);
  }
};
class Certificates : public Step {
 public:
  using Step::Step;
  [[nodiscard]] CertificatesV1 V1() const { return CertificatesV1(factory_); }
};

}  // namespace accessors

inline accessors::Core SharedInformerFactory::Core() { return accessors::Core(*this); }
inline accessors::Apps SharedInformerFactory::Apps() { return accessors::Apps(*this); }
inline accessors::Batch SharedInformerFactory::Batch() { return accessors::Batch(*this); }
inline accessors::Networking SharedInformerFactory::Networking() {
  return accessors::Networking(*this);
}
inline accessors::Discovery SharedInformerFactory::Discovery() {
  return accessors::Discovery(*this);
}
inline accessors::Coordination SharedInformerFactory::Coordination() {
  return accessors::Coordination(*this);
}
inline accessors::Rbac SharedInformerFactory::Rbac() { return accessors::Rbac(*this); }
inline accessors::Storage SharedInformerFactory::Storage() { return accessors::Storage(*this); }
inline accessors::Policy SharedInformerFactory::Policy() { return accessors::Policy(*this); }
inline accessors::Autoscaling SharedInformerFactory::Autoscaling() {
  return accessors::Autoscaling(*this);
}
inline accessors::Scheduling SharedInformerFactory::Scheduling() {
  return accessors::Scheduling(*this);
}
inline accessors::Events SharedInformerFactory::Events() { return accessors::Events(*this); }
inline accessors::Node SharedInformerFactory::Node() { return accessors::Node(*this); }
inline accessors::Admissionregistration SharedInformerFactory::Admissionregistration() {
  return accessors::Admissionregistration(*this);
}
inline accessors::Certificates SharedInformerFactory::Certificates() {
  return accessors::Certificates(*this);
}

}  // namespace kinformer

#endif  // KINFORMER_FACTORY_ACCESSORS_H_

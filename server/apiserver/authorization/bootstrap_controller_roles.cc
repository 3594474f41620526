#include "apiserver/authorization/bootstrap_policy.h"

namespace kinformer::apiserver {
namespace {

constexpr ControllerRole kRoles[] = {
    {"attachdetach-controller",
     "list,watch core persistentvolumeclaims,persistentvolumes;read core nodes;patch,"
     "update core nodes/status;list,watch core pods;create,patch,update core,"
     "events.k8s.io events;create,delete,get,list,"
     "watch storage.k8s.io volumeattachments;read storage.k8s.io csidrivers;"
     "read storage.k8s.io csinodes"},
    {"certificate-controller",
     "delete,get,list,watch certificates.k8s.io certificatesigningrequests;"
     "update certificates.k8s.io certificatesigningrequests/approval,"
     "certificatesigningrequests/status;"
     "approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet;"
     "sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,"
     "kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,"
     "kubernetes.io/legacy-unknown;create authorization.k8s.io subjectaccessreviews;"
     "create,patch,update core,events.k8s.io events"},
    {"clusterrole-aggregation-controller",
     "escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles"},
    {"cronjob-controller",
     "get,list,update,watch batch cronjobs;create,delete,get,list,patch,update,"
     "watch batch jobs;update batch cronjobs/status;update batch cronjobs/finalizers;"
     "delete,list,watch core pods;create,patch,update core,events.k8s.io events"},
    {"daemon-set-controller",
     "read apps,extensions daemonsets;update apps,extensions daemonsets/status;"
     "update apps,extensions daemonsets/finalizers;list,watch core nodes;create,"
     "delete,list,patch,watch core pods;create core pods/binding;create,delete,get,"
     "list,patch,update,watch apps controllerrevisions;create,patch,update core,"
     "events.k8s.io events"},
    {"deployment-controller",
     "get,list,update,watch apps,extensions deployments;update apps,"
     "extensions deployments/status;update apps,extensions deployments/finalizers;"
     "create,delete,get,list,patch,update,watch apps,extensions replicasets;get,list,"
     "update,watch core pods;create,patch,update core,events.k8s.io events"},
    {"device-taint-eviction-controller",
     "delete,get,list,watch core pods;patch,update core pods/status;"
     "read resource.k8s.io resourceclaims;read resource.k8s.io resourceslices;"
     "read resource.k8s.io deviceclasses;create,patch,update core,"
     "events.k8s.io events;patch,update resource.k8s.io devicetaintrules/status;"
     "read resource.k8s.io devicetaintrules"},
    {"disruption-controller",
     "read apps,extensions deployments;read apps,extensions replicasets;"
     "read core replicationcontrollers;read policy poddisruptionbudgets;"
     "read apps statefulsets;update policy poddisruptionbudgets/status;patch,"
     "update core pods/status;get * */scale;create,patch,update core,"
     "events.k8s.io events"},
    {"endpoint-controller",
     "read core pods,services;create,delete,get,list,update,watch core endpoints;"
     "create core endpoints/restricted;create,patch,update core,events.k8s.io events"},
    {"endpointslice-controller",
     "read core nodes,pods,services;update core services/finalizers;create,delete,"
     "get,list,update,watch discovery.k8s.io endpointslices;create,patch,update core,"
     "events.k8s.io events"},
    {"endpointslicemirroring-controller",
     "read core endpoints,services;update core services/finalizers;"
     "update core endpoints/finalizers;create,delete,get,list,update,"
     "watch discovery.k8s.io endpointslices;create,patch,update core,"
     "events.k8s.io events"},
    {"ephemeral-volume-controller",
     "read core pods;update core pods/finalizers;create,get,list,"
     "watch core persistentvolumeclaims;create,patch,update core,events.k8s.io events"},
    {"expand-controller",
     "get,list,patch,update,watch core persistentvolumes;patch,"
     "update core persistentvolumeclaims/status;read core persistentvolumeclaims;"
     "create,patch,update core,events.k8s.io events"},
    {"generic-garbage-collector",
     "delete,get,list,patch,update,watch * *;create,patch,update core,"
     "events.k8s.io events"},
    {"horizontal-pod-autoscaler",
     "read autoscaling horizontalpodautoscalers;"
     "update autoscaling horizontalpodautoscalers/status;get,update * */scale;list,"
     "watch core pods;list,watch metrics.k8s.io pods;read custom.metrics.k8s.io *;"
     "read external.metrics.k8s.io *;create,patch,update core,events.k8s.io events"},
    {"job-controller",
     "get,list,patch,update,watch batch jobs;update batch jobs/status;"
     "update batch jobs/finalizers;create,delete,list,patch,watch core pods;create,"
     "patch,update core,events.k8s.io events"},
    {"kube-apiserver-serving-clustertrustbundle-publisher",
     "attest certificates.k8s.io signers kubernetes.io/kube-apiserver-serving;create,"
     "delete,list,update,watch certificates.k8s.io clustertrustbundles;create,patch,"
     "update core,events.k8s.io events"},
    {"legacy-service-account-token-cleaner",
     "get core configmaps kube-apiserver-legacy-service-account-token-tracking;"
     "delete,patch core secrets"},
    {"namespace-controller",
     "delete,get,list,watch core namespaces;update core namespaces/finalize,"
     "namespaces/status;delete,deletecollection,get,list,watch * *"},
    {"node-controller",
     "delete,get,list,patch,update,watch core nodes;patch,update core nodes/status;"
     "patch,update core pods/status;delete,get,list,watch core pods;"
     "read coordination.k8s.io leases;create,patch,update core,events.k8s.io events"},
    {"persistent-volume-binder",
     "create,delete,get,list,update,watch core persistentvolumes;"
     "update core persistentvolumes/status;get,list,update,"
     "watch core persistentvolumeclaims;update core persistentvolumeclaims/status;"
     "create,delete,get,list,watch core pods;read storage.k8s.io storageclasses;list,"
     "watch core nodes;create,patch,update core,events.k8s.io events;"
     "watch core events"},
    {"pod-garbage-collector", "delete,list,watch core pods;read core nodes;patch core pods/status"},
    {"podcertificaterequestcleaner",
     "delete,get,list,watch certificates.k8s.io podcertificaterequests"},
    {"pv-protection-controller",
     "get,list,update,watch core persistentvolumes;create,patch,update core,"
     "events.k8s.io events"},
    {"pvc-protection-controller",
     "get,list,update,watch core persistentvolumeclaims;"
     "update core persistentvolumeclaims/status;read core pods;create,patch,"
     "update core,events.k8s.io events"},
    {"replicaset-controller",
     "get,list,update,watch apps,extensions replicasets;update apps,"
     "extensions replicasets/status;update apps,extensions replicasets/finalizers;"
     "create,delete,list,patch,watch core pods;create,patch,update core,"
     "events.k8s.io events"},
    {"replication-controller",
     "get,list,update,watch core replicationcontrollers;"
     "update core replicationcontrollers/status;"
     "update core replicationcontrollers/finalizers;create,delete,list,patch,"
     "watch core pods;create,patch,update core,events.k8s.io events"},
    {"resource-claim-controller",
     "read core pods;update core pods/finalizers;create,delete,get,list,"
     "watch resource.k8s.io resourceclaims;patch,"
     "update resource.k8s.io resourceclaims,resourceclaims/status;patch,"
     "update core pods/status;create,patch,update core,events.k8s.io events;patch,"
     "update resource.k8s.io resourceclaims/binding"},
    {"resourcequota-controller",
     "list,watch * *;update core resourcequotas/status;create,patch,update core,"
     "events.k8s.io events"},
    {"root-ca-cert-publisher",
     "create,update core configmaps;create,patch,update core,events.k8s.io events"},
    {"route-controller",
     "list,watch core nodes;patch core nodes/status;create,patch,update core,"
     "events.k8s.io events"},
    {"selinux-warning-controller",
     "create,patch,update core,events.k8s.io events;read core persistentvolumes;"
     "read core persistentvolumeclaims;read core pods;read storage.k8s.io csidrivers"},
    {"service-account-controller",
     "create core serviceaccounts;create,patch,update core,events.k8s.io events"},
    {"service-cidrs-controller",
     "get,list,patch,update,watch networking.k8s.io servicecidrs;patch,"
     "update networking.k8s.io servicecidrs/finalizers;patch,"
     "update networking.k8s.io servicecidrs/status;"
     "read networking.k8s.io ipaddresses;create,patch,update core,"
     "events.k8s.io events"},
    {"service-controller",
     "read core services;patch,update core services/status;list,watch core nodes;"
     "create,patch,update core,events.k8s.io events"},
    {"statefulset-controller",
     "list,watch core pods;read apps statefulsets;update apps statefulsets/status;"
     "update apps statefulsets/finalizers;create,delete,get,patch,update core pods;"
     "create,delete,get,list,patch,update,watch apps controllerrevisions;create,get,"
     "list,watch core persistentvolumeclaims;delete,"
     "update core persistentvolumeclaims;update core pods/finalizers;create,patch,"
     "update core,events.k8s.io events"},
    {"storage-version-migrator-controller",
     "list,patch * *;get apiextensions.k8s.io customresourcedefinitions;"
     "patch apiextensions.k8s.io customresourcedefinitions/status;"
     "update storagemigration.k8s.io storageversionmigrations/status"},
    {"ttl-after-finished-controller",
     "delete,get,list,watch batch jobs;create,patch,update core,events.k8s.io events"},
    {"ttl-controller",
     "list,patch,update,watch core nodes;create,patch,update core,"
     "events.k8s.io events"},
    {"validatingadmissionpolicy-status-controller",
     "read admissionregistration.k8s.io validatingadmissionpolicies;get,patch,"
     "update admissionregistration.k8s.io validatingadmissionpolicies/status;create,"
     "patch,update core,events.k8s.io events"},
    {"volumeattributesclass-protection-controller",
     "read core persistentvolumeclaims;read core persistentvolumes;get,list,update,"
     "watch storage.k8s.io volumeattributesclasses;create,patch,update core,"
     "events.k8s.io events"},
};

}  // namespace

std::span<const ControllerRole> ControllerRoles() { return kRoles; }

}  // namespace kinformer::apiserver

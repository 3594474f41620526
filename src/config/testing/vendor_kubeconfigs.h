// config/testing/vendor_kubeconfigs.h
//
// Kubeconfigs in the forms that well-known programs write them. Names, addresses and secrets are
// made up.

#ifndef KINFORMER_CONFIG_TESTING_VENDOR_KUBECONFIGS_H_
#define KINFORMER_CONFIG_TESTING_VENDOR_KUBECONFIGS_H_

namespace kinformer {

struct VendorKubeconfig {
  const char* vendor;
  const char* text;
};

inline constexpr VendorKubeconfig kVendorKubeconfigs[] = {
    {"kind", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://127.0.0.1:36441
  name: kind-dev
contexts:
- context:
    cluster: kind-dev
    user: kind-dev
  name: kind-dev
current-context: kind-dev
kind: Config
preferences: {}
users:
- name: kind-dev
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
)"},
    {"k3s", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://127.0.0.1:6443
  name: default
contexts:
- context:
    cluster: default
    user: default
  name: default
current-context: default
kind: Config
users:
- name: default
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
)"},
    {"EKS", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://0123456789ABCDEF.gr7.eu-west-1.eks.example.com
  name: arn:aws:eks:eu-west-1:111122223333:cluster/prod
contexts:
- context:
    cluster: arn:aws:eks:eu-west-1:111122223333:cluster/prod
    user: arn:aws:eks:eu-west-1:111122223333:cluster/prod
  name: arn:aws:eks:eu-west-1:111122223333:cluster/prod
current-context: arn:aws:eks:eu-west-1:111122223333:cluster/prod
kind: Config
preferences: {}
users:
- name: arn:aws:eks:eu-west-1:111122223333:cluster/prod
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-west-1
      - eks
      - get-token
      - --cluster-name
      - prod
      - --output
      - json
      command: aws
      env:
      - name: AWS_PROFILE
        value: "admin"
)"},
    {"GKE", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://203.0.113.7
  name: gke_project_europe-west1-b_main
contexts:
- context:
    cluster: gke_project_europe-west1-b_main
    user: gke_project_europe-west1-b_main
  name: gke_project_europe-west1-b_main
current-context: gke_project_europe-west1-b_main
kind: Config
preferences: {}
users:
- name: gke_project_europe-west1-b_main
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      installHint: Install gke-gcloud-auth-plugin for use with kubectl by following
        https://cloud.example.com/kubernetes-engine/docs/how-to/cluster-access#install
      provideClusterInfo: true
)"},
    {"AKS with kubelogin", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://main-dns-1a2b3c4d.hcp.westeurope.azmk8s.example.com:443
  name: main
contexts:
- context:
    cluster: main
    user: clusterUser_group_main
  name: main
current-context: main
kind: Config
preferences: {}
users:
- name: clusterUser_group_main
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - get-token
      - --environment
      - AzurePublicCloud
      - --server-id
      - 00000000-0000-0000-0000-000000000001
      - --client-id
      - 00000000-0000-0000-0000-000000000002
      - --tenant-id
      - 00000000-0000-0000-0000-000000000003
      - --login
      - devicecode
      command: kubelogin
      env: null
      installHint: |2

        kubelogin is not installed which is required to connect to AAD enabled cluster.

        To learn more, please go to https://aka.example.com/aks/kubelogin
      interactiveMode: IfAvailable
      provideClusterInfo: false
)"},
    {"OpenShift", R"(apiVersion: v1
clusters:
- cluster:
    insecure-skip-tls-verify: true
    server: https://api.crc.testing:6443
  name: api-crc-testing:6443
contexts:
- context:
    cluster: api-crc-testing:6443
    namespace: default
    user: developer/api-crc-testing:6443
  name: default/api-crc-testing:6443/developer
- context:
    cluster: api-crc-testing:6443
    user: kubeadmin/api-crc-testing:6443
  name: /api-crc-testing:6443/kubeadmin
current-context: default/api-crc-testing:6443/developer
kind: Config
preferences: {}
users:
- name: developer/api-crc-testing:6443
  user:
    token: sha256~made-up
- name: kubeadmin/api-crc-testing:6443
  user:
    token: sha256~made-up-too
)"},
    {"minikube", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority: /home/u/.minikube/ca.crt
    extensions:
    - extension:
        last-update: Sat, 28 Nov 2026 10:00:00 UTC
        provider: minikube.sigs.k8s.io
        version: v1.37.0
      name: cluster_info
    server: https://192.168.49.2:8443
  name: minikube
contexts:
- context:
    cluster: minikube
    extensions:
    - extension:
        last-update: Sat, 28 Nov 2026 10:00:00 UTC
        provider: minikube.sigs.k8s.io
        version: v1.37.0
      name: context_info
    namespace: default
    user: minikube
  name: minikube
current-context: minikube
kind: Config
preferences: {}
users:
- name: minikube
  user:
    client-certificate: /home/u/.minikube/profiles/minikube/client.crt
    client-key: /home/u/.minikube/profiles/minikube/client.key
)"},
    {"Rancher", R"(apiVersion: v1
kind: Config
clusters:
- name: "prod"
  cluster:
    server: "https://rancher.example.com/k8s/clusters/c-m-abcdefgh"
- name: "prod-node1"
  cluster:
    server: "https://10.0.0.5:6443"
    certificate-authority-data: "Q0EtREFUQQ=="

users:
- name: "prod"
  user:
    token: "kubeconfig-user-abcde:made-up"


contexts:
- name: "prod"
  context:
    user: "prod"
    cluster: "prod"
- name: "prod-node1"
  context:
    user: "prod"
    cluster: "prod-node1"

current-context: "prod"
)"},
    {"Teleport", R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EtREFUQQ==
    server: https://teleport.example.com:443
    tls-server-name: kube-teleport-proxy-alpn.teleport.example.com
  name: teleport.example.com
contexts:
- context:
    cluster: teleport.example.com
    extensions:
    - extension: prod
      name: teleport.kube.name
    user: teleport.example.com-prod
  name: teleport.example.com-prod
current-context: teleport.example.com-prod
kind: Config
preferences: {}
users:
- name: teleport.example.com-prod
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - kube
      - credentials
      - --kube-cluster=prod
      - --teleport-cluster=teleport.example.com
      - --proxy=teleport.example.com:443
      command: /usr/local/bin/tsh
      env: null
      provideClusterInfo: false
)"},
};

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_TESTING_VENDOR_KUBECONFIGS_H_

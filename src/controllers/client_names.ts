/** Controllers whose clients have another name than they themselves. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "serviceaccount-token-controller": "tokens-controller",
  "endpoints-controller": "endpoint-controller",
  "endpointslice-mirroring-controller": "endpointslicemirroring-controller",
  "replicationcontroller-controller": "replication-controller",
  "pod-garbage-collector-controller": "pod-garbage-collector",
  "serviceaccount-controller": "service-account-controller",
  "garbage-collector-controller": "generic-garbage-collector",
  "daemonset-controller": "daemon-set-controller",
  "horizontal-pod-autoscaler-controller": "horizontal-pod-autoscaler",
  "certificatesigningrequest-signing-controller": "certificate-controller",
  "certificatesigningrequest-approving-controller": "certificate-controller",
  "certificatesigningrequest-cleaner-controller": "certificate-controller",
  "podcertificaterequest-cleaner-controller": "podcertificaterequestcleaner",
  "bootstrap-signer-controller": "bootstrap-signer",
  "token-cleaner-controller": "token-cleaner",
  "node-ipam-controller": "node-controller",
  "node-lifecycle-controller": "node-controller",
  "service-lb-controller": "service-controller",
  "node-route-controller": "route-controller",
  "cloud-node-controller": "node-controller",
  "cloud-node-lifecycle-controller": "node-controller",
  "persistentvolume-binder-controller": "persistent-volume-binder",
  "persistentvolume-attach-detach-controller": "attachdetach-controller",
  "persistentvolume-expander-controller": "expand-controller",
  "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
  "persistentvolume-protection-controller": "pv-protection-controller",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller":
    "kube-apiserver-serving-clustertrustbundle-publisher",
  "storageversion-garbage-collector-controller": "storage-version-garbage-collector",
  "resourceclaim-controller": "resource-claim-controller",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "taint-eviction-controller": "node-controller",
  "service-cidr-controller": "service-cidrs-controller",
};

/**
 * The name of the client of a controller: with `--use-service-account-credentials` it is that of its account, to which
 * kube-apiserver has bound the role `system:controller:<name>`.
 *
 * Upstream: the calls of `NewClient` in `cmd/kube-controller-manager/app`.
 *
 * @param controller Its canonical name.
 */
export function clientNameOf(controller: string): string {
  return OTHER_NAMES[controller] ?? controller;
}

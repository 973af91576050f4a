/** A controller of upstream's managers, as `--controllers` knows it. */
export interface KnownController {
  readonly name: string;
  /** Old names that `--controllers` accepts too. */
  readonly aliases: readonly string[];
  readonly enabledByDefault: boolean;
  /** Runs in cloud-controller-manager; accepted by kube-controller-manager and skipped there. */
  readonly cloud: boolean;
}

/** Every controller name of Kubernetes v1.36, whether kubeloop has it yet or not: a manifest that names one must not fail. */
export const KNOWN_CONTROLLERS: readonly KnownController[] = [
  { name: "serviceaccount-token-controller", aliases: ["serviceaccount-token"], enabledByDefault: true, cloud: false },
  { name: "endpoints-controller", aliases: ["endpoint"], enabledByDefault: true, cloud: false },
  { name: "endpointslice-controller", aliases: ["endpointslice"], enabledByDefault: true, cloud: false },
  {
    name: "endpointslice-mirroring-controller",
    aliases: ["endpointslicemirroring"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "replicationcontroller-controller",
    aliases: ["replicationcontroller"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "pod-garbage-collector-controller", aliases: ["podgc"], enabledByDefault: true, cloud: false },
  { name: "resourcequota-controller", aliases: ["resourcequota"], enabledByDefault: true, cloud: false },
  { name: "namespace-controller", aliases: ["namespace"], enabledByDefault: true, cloud: false },
  { name: "serviceaccount-controller", aliases: ["serviceaccount"], enabledByDefault: true, cloud: false },
  { name: "garbage-collector-controller", aliases: ["garbagecollector"], enabledByDefault: true, cloud: false },
  { name: "daemonset-controller", aliases: ["daemonset"], enabledByDefault: true, cloud: false },
  { name: "job-controller", aliases: ["job"], enabledByDefault: true, cloud: false },
  { name: "podgroup-protection-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "deployment-controller", aliases: ["deployment"], enabledByDefault: true, cloud: false },
  { name: "replicaset-controller", aliases: ["replicaset"], enabledByDefault: true, cloud: false },
  {
    name: "horizontal-pod-autoscaler-controller",
    aliases: ["horizontalpodautoscaling"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "disruption-controller", aliases: ["disruption"], enabledByDefault: true, cloud: false },
  { name: "statefulset-controller", aliases: ["statefulset"], enabledByDefault: true, cloud: false },
  { name: "cronjob-controller", aliases: ["cronjob"], enabledByDefault: true, cloud: false },
  {
    name: "certificatesigningrequest-signing-controller",
    aliases: ["csrsigning"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "certificatesigningrequest-approving-controller",
    aliases: ["csrapproving"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "certificatesigningrequest-cleaner-controller",
    aliases: ["csrcleaner"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "podcertificaterequest-cleaner-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "ttl-controller", aliases: ["ttl"], enabledByDefault: true, cloud: false },
  { name: "bootstrap-signer-controller", aliases: ["bootstrapsigner"], enabledByDefault: false, cloud: false },
  { name: "token-cleaner-controller", aliases: ["tokencleaner"], enabledByDefault: false, cloud: false },
  { name: "node-ipam-controller", aliases: ["nodeipam"], enabledByDefault: true, cloud: false },
  { name: "node-lifecycle-controller", aliases: ["nodelifecycle"], enabledByDefault: true, cloud: false },
  { name: "service-lb-controller", aliases: ["service"], enabledByDefault: true, cloud: true },
  { name: "node-route-controller", aliases: ["route"], enabledByDefault: true, cloud: true },
  { name: "cloud-node-lifecycle-controller", aliases: ["cloud-node-lifecycle"], enabledByDefault: true, cloud: true },
  {
    name: "persistentvolume-binder-controller",
    aliases: ["persistentvolume-binder"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "persistentvolume-attach-detach-controller",
    aliases: ["attachdetach"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "persistentvolume-expander-controller",
    aliases: ["persistentvolume-expander"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "clusterrole-aggregation-controller",
    aliases: ["clusterrole-aggregation"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "persistentvolumeclaim-protection-controller",
    aliases: ["pvc-protection"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "persistentvolume-protection-controller", aliases: ["pv-protection"], enabledByDefault: true, cloud: false },
  { name: "volumeattributesclass-protection-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "ttl-after-finished-controller", aliases: ["ttl-after-finished"], enabledByDefault: true, cloud: false },
  {
    name: "root-ca-certificate-publisher-controller",
    aliases: ["root-ca-cert-publisher"],
    enabledByDefault: true,
    cloud: false,
  },
  {
    name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    aliases: [],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "ephemeral-volume-controller", aliases: ["ephemeral-volume"], enabledByDefault: true, cloud: false },
  {
    name: "storageversion-garbage-collector-controller",
    aliases: ["storage-version-gc"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "resourceclaim-controller", aliases: ["resource-claim-controller"], enabledByDefault: true, cloud: false },
  { name: "resourcepoolstatusrequest-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "device-taint-eviction-controller", aliases: [], enabledByDefault: true, cloud: false },
  {
    name: "legacy-serviceaccount-token-cleaner-controller",
    aliases: ["legacy-service-account-token-cleaner"],
    enabledByDefault: true,
    cloud: false,
  },
  { name: "validatingadmissionpolicy-status-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "taint-eviction-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "service-cidr-controller", aliases: [], enabledByDefault: true, cloud: false },
  { name: "storage-version-migrator-controller", aliases: ["svm"], enabledByDefault: true, cloud: false },
  { name: "selinux-warning-controller", aliases: [], enabledByDefault: false, cloud: false },
  { name: "cloud-node-controller", aliases: ["cloud-node"], enabledByDefault: true, cloud: true },
];

/** Who removes a finalizer, and when. */
export interface Remover {
  /** The finalizer, or a prefix if it ends with `*`. */
  readonly finalizer: string;
  /** Such as `garbage-collector-controller`. */
  readonly controller: string;
  /** The program that runs the controller, or an extension. */
  readonly program: "kube-controller-manager" | "cloud-controller-manager" | "kube-apiserver" | "add-on";
  /** Its condition, to follow "when". */
  readonly condition: string;
}

const MANAGER = "kube-controller-manager";

/** Finalizers of Kubernetes and of widespread extensions. Upstream: the packages that define each. */
export const REMOVERS: readonly Remover[] = [
  {
    finalizer: "kubernetes",
    controller: "namespace-controller",
    program: MANAGER,
    condition: "the namespace is empty and every API group could be asked",
  },
  {
    finalizer: "foregroundDeletion",
    controller: "garbage-collector-controller",
    program: MANAGER,
    condition: "no dependent with blockOwnerDeletion exists any more",
  },
  {
    finalizer: "orphan",
    controller: "garbage-collector-controller",
    program: MANAGER,
    condition: "its dependents do not name it as their owner any more",
  },
  {
    finalizer: "kubernetes.io/pvc-protection",
    controller: "persistentvolumeclaim-protection-controller",
    program: MANAGER,
    condition: "no pod on a node refers to the claim any more",
  },
  {
    finalizer: "kubernetes.io/pv-protection",
    controller: "persistentvolume-protection-controller",
    program: MANAGER,
    condition: "the volume is not bound any more",
  },
  {
    finalizer: "kubernetes.io/vac-protection",
    controller: "volumeattributesclass-protection-controller",
    program: MANAGER,
    condition: "no claim and no volume refers to the class any more",
  },
  {
    finalizer: "scheduling.k8s.io/podgroup-protection",
    controller: "podgroup-protection-controller",
    program: MANAGER,
    condition: "no pod of the group is active any more",
  },
  {
    finalizer: "kubernetes.io/pv-controller",
    controller: "persistentvolume-binder-controller",
    program: MANAGER,
    condition: "the storage behind the volume has been deleted",
  },
  {
    finalizer: "batch.kubernetes.io/job-tracking",
    controller: "job-controller",
    program: MANAGER,
    condition: "the pod's end has been counted in the status of its Job, or the Job is gone",
  },
  {
    finalizer: "resource.kubernetes.io/delete-protection",
    controller: "resourceclaim-controller",
    program: MANAGER,
    condition: "no pod has the claim reserved and it is deallocated",
  },
  {
    finalizer: "networking.k8s.io/service-cidr-finalizer",
    controller: "service-cidr-controller",
    program: MANAGER,
    condition: "no address of the range is in use, or another range covers it",
  },
  {
    finalizer: "service.kubernetes.io/load-balancer-cleanup",
    controller: "service-lb-controller",
    program: "cloud-controller-manager",
    condition: "the cloud's load balancer has been deleted",
  },
  {
    finalizer: "customresourcecleanup.apiextensions.k8s.io",
    controller: "the API server",
    program: "kube-apiserver",
    condition: "no object of the custom kind exists any more",
  },
  {
    finalizer: "external-attacher/*",
    controller: "the CSI driver's external-attacher",
    program: "add-on",
    condition: "the volume is detached",
  },
  {
    finalizer: "external-provisioner.volume.kubernetes.io/finalizer",
    controller: "the CSI driver's external-provisioner",
    program: "add-on",
    condition: "the storage behind the volume has been deleted",
  },
  {
    finalizer: "provisioner.storage.kubernetes.io/cloning-protection",
    controller: "the CSI driver's external-provisioner",
    program: "add-on",
    condition: "no volume is being cloned from the claim",
  },
  {
    finalizer: "snapshot.storage.kubernetes.io/*",
    controller: "the CSI snapshot-controller",
    program: "add-on",
    condition: "no snapshot that needs it is left",
  },
  {
    finalizer: "resources-finalizer.argocd.argoproj.io*",
    controller: "Argo CD's application controller",
    program: "add-on",
    condition: "the application's resources have been deleted",
  },
  {
    finalizer: "finalizers.fluxcd.io",
    controller: "Flux's controller of that kind",
    program: "add-on",
    condition: "what it applied has been pruned",
  },
  {
    finalizer: "service.k8s.aws/resources",
    controller: "the AWS Load Balancer Controller",
    program: "add-on",
    condition: "the load balancer has been deleted",
  },
  {
    finalizer: "elbv2.k8s.aws/resources",
    controller: "the AWS Load Balancer Controller",
    program: "add-on",
    condition: "the target group binding has been cleaned up",
  },
  {
    finalizer: "ingress.k8s.aws/resources",
    controller: "the AWS Load Balancer Controller",
    program: "add-on",
    condition: "the load balancer has been deleted",
  },
  {
    finalizer: "finalizer.acme.cert-manager.io",
    controller: "cert-manager",
    program: "add-on",
    condition: "the challenge has been cleaned up",
  },
  {
    finalizer: "acme.cert-manager.io/finalizer",
    controller: "cert-manager",
    program: "add-on",
    condition: "the challenge has been cleaned up",
  },
  {
    finalizer: "karpenter.sh/termination",
    controller: "Karpenter",
    program: "add-on",
    condition: "the node is drained and its machine is gone",
  },
  {
    finalizer: "finalizer.managedresource.crossplane.io",
    controller: "the Crossplane provider",
    program: "add-on",
    condition: "the external resource has been deleted",
  },
  {
    finalizer: "controller.cattle.io/*",
    controller: "Rancher",
    program: "add-on",
    condition: "Rancher has cleaned up",
  },
];

/** Who removes `finalizer`; `undefined` if the table does not list it. */
export function removerOf(finalizer: string): Remover | undefined {
  return REMOVERS.find(({ finalizer: known }) =>
    known.endsWith("*") ? finalizer.startsWith(known.slice(0, -1)) : finalizer === known
  );
}

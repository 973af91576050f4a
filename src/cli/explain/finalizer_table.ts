import { type ControllerRow, KNOWN_CONTROLLERS } from "../../controllers/mod.ts";

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

/** Finalizers of Kubernetes and of widespread extensions. Upstream: the packages that define each. */
export const REMOVERS: readonly Remover[] = [
  ...KNOWN_CONTROLLERS.flatMap(removersOf),
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

function removersOf({ name, needs, finalizers }: ControllerRow): Remover[] {
  const program = needs?.cloud ? "cloud-controller-manager" : "kube-controller-manager";
  return Object.entries(finalizers).map(([finalizer, condition]) => ({
    finalizer,
    controller: name,
    program,
    condition,
  }));
}

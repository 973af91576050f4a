/** A program that runs controllers. */
export type Host = "kube-controller-manager" | "cloud-controller-manager";

/** The root-ca-certificate-publisher-controller: keeps ConfigMap `kube-root-ca.crt` in every namespace. */
export * from "./controller.ts";

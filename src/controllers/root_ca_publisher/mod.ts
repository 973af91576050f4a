/** The root-ca-certificate-publisher-controller: keeps ConfigMap `kube-root-ca.crt` in every namespace. */
export { ROOT_CA_PUBLISHER_CONTROLLER } from "./controller.ts";

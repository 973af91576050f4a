/** Makes an embedded API server reachable from outside its process. */
export { CertificateAuthority, type KeyPair } from "./certificate_authority.ts";
export * from "./http.ts";
export * from "./kubeconfig.ts";
export { ListenError } from "./listen_error.ts";
export type { Servable, ServedApiServer, ServeOptions } from "./node_server.ts";
export { holderOf, nodeRequest } from "./node_certificates.ts";
export * from "./tls.ts";
export * from "./webhooks.ts";

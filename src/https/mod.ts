/** An HTTPS server that limits what strangers can use. */
export * from "./node_request.ts";
export * from "./server_connections.ts";
export * from "./source_address.ts";
export type { Asked, Peer } from "./peer.ts";
export type { CertificateAndKey, NamedCertificate, ServerCertificates } from "./certificates.ts";
export type { HttpsHandler } from "./exchange.ts";
export type { TlsDemands } from "./demands.ts";
export { HttpsServer, type HttpsServerOptions } from "./server.ts";

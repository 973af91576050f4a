/** The way to an API server: transport, credentials, typed verbs, discovery. */
export { Client } from "./client.ts";
export * from "./activity.ts";
export type * from "./client_options.ts";
export { ACCEPT_METADATA, ACCEPT_METADATA_LIST } from "./content_types.ts";
export * from "./connection_error.ts";
export { Deadline } from "./deadline.ts";
export { type FetchTls, fetchTransport } from "./fetch_transport.ts";
export { type RequestLimiter, TokenBucket } from "./rate_limiter.ts";
export { ServerOutages } from "./server_outages.ts";
export { isStatus } from "./response_status.ts";
export { StatusError, statusErrorOf } from "./status_error.ts";
export * from "./status_predicates.ts";
export {
  type Exchange,
  exchangeOf,
  type Transport,
  webTransport,
  type WireRequest,
  type WireResponse,
} from "./transport.ts";
export * from "./client_builder.ts";
export * from "./discovery/discovered.ts";
export { Discovery, preferredResourcesOf, type PreferredResourcesOptions } from "./discovery/discovery.ts";
export {
  type KindQuery,
  NoMatchError,
  type ResourceQuery,
  RestMapper,
  type RuleQuery,
  type ServedKind,
} from "./discovery/rest_mapper.ts";
export * from "./manifests.ts";
export * from "./retry_on_conflict.ts";
export { AccountToken } from "./service_account/account_token.ts";
export type { IssuedToken } from "./service_account/issue_token.ts";
export {
  accountTransport,
  ServiceAccountClientBuilder,
  type ServiceAccountClientBuilderOptions,
} from "./service_account/client_builder.ts";
export { ROOT_CLIENTS } from "./service_account/root_clients.ts";
export { withoutCredentials } from "./service_account/without_credentials.ts";
export { userAgent, type UserAgentParts } from "./user_agent.ts";
export { waitForApiServer } from "./wait_for_api_server.ts";
export { directAddress } from "./direct_address.ts";
export type { TlsSource } from "./http/dial.ts";
export type { TlsSettings } from "./tls_settings.ts";
export { trackConnections } from "./http/connection_gauges.ts";
export { type HttpTransport, httpTransport, type HttpTransportOptions } from "./http/http_transport.ts";
export type { Dial, Socket } from "./http/socket.ts";
export { transportOf, type TransportOptions, writeFence, WriteRefusedError } from "./transport_of.ts";
export { type ExecRequest, type ExecRunner, runProcess } from "./credentials/exec_runner.ts";
export { ConfigError, NoConfigurationError } from "./kubeconfig/config_error.ts";
export type * from "./client_config.ts";
export type { Environment } from "./environment.ts";
export { inClusterConfig } from "./kubeconfig/in_cluster.ts";
export * from "./kubeconfig/kubeconfig.ts";
export { loadClientConfig, type LoadOptions, readKubeconfig, readKubectlConfig } from "./kubeconfig/load.ts";
export { resolveKubeconfig, type ResolveOptions } from "./kubeconfig/resolve.ts";
export type { Call, Query } from "./call.ts";
export type { ConnectionCounts, PoolLimits } from "./http/connection_pool.ts";
export type { SlotLimits } from "./http/request_slots.ts";
export type { Credentials } from "./credentials/credentials.ts";
